//! The ways in which the reference can be made wrong, each with the property that must see it.

macro_rules! defects {
    ($($(#[$doc:meta])* $defect:ident => $($property:ident)|+,)*) => {
        /// One mistake of a fabric; its name says what it does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Defect {
            $(
                $(#[$doc])*
                $(#[doc = concat!("Caught by `", stringify!($property), "`.")])+
                $defect,
            )*
        }

        /// Each mistake, and a property of the suite that is there to catch it.
        pub const CAUGHT_BY: &[(Defect, &str)] =
            &[$($((Defect::$defect, stringify!($property)),)+)*];
    };
}

defects! {
    TellsAShorterRegion => a_region_tells_peers_the_memory_that_was_registered,
    DropsTheLastByteOfWrites => a_write_puts_exactly_its_bytes_and_touches_nothing_else,
    WritesOneByteTooFar => a_write_puts_exactly_its_bytes_and_touches_nothing_else,
    ReadsOneByteTooFar => a_read_takes_exactly_its_bytes_and_touches_nothing_else,
    AlignsAddresses => writes_and_reads_between_unaligned_addresses_are_exact,
    /// Only where the path MTU is the smallest.
    LosesThePacketAfterTheSeventh => every_path_mtu_that_the_ports_carry_moves_the_same_bytes,
    TakesNoBytesForOne => a_zero_length_write_and_read_succeed_and_touch_nothing,
    TakesInlineBytesLate => an_inline_write_takes_its_bytes_when_it_is_posted,
    ChecksTheKeyOfInlineBytes => an_inline_write_needs_no_registered_memory,
    CutsLongInlinePayloads =>
        an_inline_payload_above_what_was_asked_is_refused_or_carried_whole,
    SwapsBytesOfImmediates =>
        a_write_with_immediate_delivers_its_bits_and_length_and_consumes_one_receive,
    ConsumesTwoReceives =>
        a_write_with_immediate_delivers_its_bits_and_length_and_consumes_one_receive,
    TakesTheNewestReceive => immediates_consume_receives_in_the_order_of_both,
    ConsumesReceivesByWrites => a_plain_write_consumes_no_receive,
    NeedsNoReceive => a_write_with_immediate_without_a_receive_ends_receiver_not_ready,
    ReordersSends => sends_arrive_in_post_order,
    AsksForARightToSend => a_send_needs_no_right_of_the_peer,
    TakesInlineBytesOfSendsLate => an_inline_send_takes_its_bytes_when_it_is_posted,
    LetsImmediatesOvertakeSends =>
        sends_and_writes_with_immediate_consume_receives_in_post_order,
    DropsSendsWithoutReceive => a_send_without_a_receive_ends_receiver_not_ready,
    DropsTheLastByteOfSends => a_send_arrives_whole_in_the_oldest_receive,
    ReversesListsOfReceives => receive_requests_of_a_list_are_consumed_in_its_order,
    TakesBackARefusedListOfReceives => a_list_of_receive_requests_is_posted_up_to_the_one_refused,
    FillsTheSecondReceive => a_send_arrives_whole_in_the_oldest_receive,
    CutsLongSends => a_send_longer_than_its_receive_is_never_cut_short_in_silence,
    LosesImmediatesOfSends => a_send_without_bytes_hands_over_its_immediate_and_touches_no_memory,
    WritesForEmptySends => a_send_without_bytes_hands_over_its_immediate_and_touches_no_memory,
    ReordersUnreliableSends => sends_over_an_unreliable_connection_arrive_whole_and_in_order,
    RefusesUnreliableSendsWithoutReceive =>
        a_send_without_a_receive_over_an_unreliable_connection_is_dropped_in_silence,
    CutsLongUnreliableSends =>
        a_send_longer_than_its_receive_over_an_unreliable_connection_does_not_arrive,
    LosesUnreliableWrites => a_write_over_an_unreliable_connection_arrives_whole,
    RefusesUnreliableWrites =>
        a_refused_write_over_an_unreliable_connection_ends_in_success_and_writes_nothing,
    TakesReadsOfEveryService => what_a_service_lacks_is_refused_when_it_is_posted_and_harms_nothing,
    NamesAServiceThatItLacks => a_device_makes_queue_pairs_of_the_services_that_it_names,
    WritesDatagramsOverTheHeader => a_datagram_arrives_whole_behind_the_header,
    LosesImmediatesOfDatagrams => a_datagram_without_bytes_hands_over_its_immediate,
    TakesInlineBytesOfDatagramsLate => an_inline_datagram_takes_its_bytes_when_it_is_posted,
    KeepsDatagramsWithoutReceive => a_datagram_without_a_receive_is_dropped_in_silence,
    IgnoresDatagramKeys => a_datagram_with_another_key_never_arrives,
    RefusesDatagramsToNobody => a_datagram_to_nobody_ends_in_success,
    SendsDatagramsToTheFirst => one_queue_pair_sends_datagrams_to_many,
    /// Of the first peer that the endpoint was told of, whichever is named.
    SendsDatagramsToTheFirstPeer =>
        datagrams_of_one_queue_pair_to_two_endpoints_reach_each_its_own
        | datagrams_of_one_queue_pair_to_two_devices_reach_each_its_own,
    /// It has them go to the first one of its own.
    TakesDestinationsOfOthers => a_destination_of_another_endpoint_is_refused,
    NamesTheFirstSenderOfDatagrams => a_datagram_names_its_sender,
    DuplicatesDatagrams => datagrams_arrive_whole_and_at_most_once,
    TakesLongDatagrams => a_datagram_above_the_active_mtu_is_refused_when_it_is_posted,
    CutsLongDatagrams => a_datagram_longer_than_its_receive_is_never_cut_short_in_silence,
    TakesShortReceivesOfDatagrams => a_receive_without_room_for_the_header_is_refused,
    ConnectsDatagrams => datagrams_have_no_connection_and_connections_no_destinations,
    NamesSharedReceivesThatItLacks => a_device_shares_receive_queues_of_the_services_that_it_names,
    ServesSharedReceivesToTheFirst =>
        a_shared_receive_queue_serves_whichever_queue_pair_gets_a_message,
    NamesTheFirstOfSharedReceives =>
        a_shared_receive_queue_serves_whichever_queue_pair_gets_a_message,
    TakesTheNewestOfSharedReceives =>
        a_shared_receive_queue_keeps_the_order_of_its_posts_whichever_queue_pair_they_name,
    FillsTheNewestOfSharedReceives =>
        long_messages_at_the_same_time_take_each_a_request_of_a_shared_receive_queue,
    KeepsSharedReceivesFromImmediates =>
        a_write_with_immediate_takes_a_request_of_a_shared_receive_queue,
    DropsSharedReceivesWhenFull => a_shared_receive_queue_that_is_full_refuses_and_loses_nothing,
    GivesEachItsPartOfSharedReceives =>
        a_shared_receive_queue_that_is_full_refuses_and_loses_nothing,
    DropsSendsToSharedReceivesRunDry =>
        a_send_to_a_shared_receive_queue_run_dry_ends_receiver_not_ready,
    FlushesSharedReceives => a_queue_pair_in_error_leaves_a_shared_receive_queue_to_the_others,
    RefusesUnreliableSendsToSharedReceivesRunDry =>
        an_unreliable_send_to_a_shared_receive_queue_run_dry_is_dropped_in_silence,
    KeepsDatagramsToSharedReceivesRunDry =>
        datagrams_take_requests_of_a_shared_receive_queue_and_are_dropped_when_it_runs_dry,
    AddsToFourBytes => fetch_and_add_returns_the_previous_value_and_adds_to_eight_bytes,
    ReturnsTheSum => fetch_and_add_returns_the_previous_value_and_adds_to_eight_bytes,
    SwapsAlways => compare_and_swap_swaps_on_equality_only_and_returns_the_previous_value,
    LosesAnAdd => fetch_and_adds_of_many_queue_pairs_lose_nothing,
    /// Reads and writes of an atomic are apart, so that others come between.
    TearsAdds => fetch_and_adds_of_several_threads_lose_nothing,
    LosesASwap => increments_by_compare_and_swap_lose_nothing,
    AcceptsMisalignedAtomics => a_misaligned_atomic_is_refused_and_changes_nothing,
    ReordersWrites => writes_of_one_queue_pair_are_placed_in_order,
    LetsReadsOvertakeWrites => a_read_posted_after_writes_sees_them,
    ReordersCompletions => completions_of_one_queue_pair_come_in_post_order,
    ReportsUnsignaledRequests => only_signaled_requests_complete,
    CompletesBeforeTheData => a_signaled_completion_implies_the_requests_before_it,
    ForgetsTheSecondOfALongList => a_post_list_does_what_single_posts_do,
    TakesAnyKeyOfTheDevice => the_remote_key_of_another_region_is_refused,
    IgnoresRemoteKeys => a_garbage_remote_key_is_refused,
    GivesTheWrongStatus => a_garbage_remote_key_is_refused,
    IgnoresTheStartOfRegions => an_access_that_starts_before_the_region_is_refused,
    IgnoresTheEndOfRegions => an_access_that_ends_after_the_region_is_refused,
    /// The end is computed modulo 2^64.
    WrapsAround => an_access_that_wraps_around_the_address_space_is_refused,
    IgnoresTheRightToRead => a_read_of_a_region_without_the_right_is_refused,
    IgnoresTheRightToWrite => a_write_to_a_region_without_the_right_is_refused,
    IgnoresTheRightToAtomics => an_atomic_on_a_region_without_the_right_is_refused,
    IgnoresRightsOfQueuePairs => an_operation_that_the_queue_pair_does_not_allow_is_refused,
    KeepsDeregisteredRegions => a_deregistered_region_is_refused,
    IgnoresLocalKeys => a_wrong_local_key_is_a_local_error_and_changes_nothing,
    IgnoresLocalBounds =>
        a_local_segment_beyond_its_region_is_a_local_error_and_changes_nothing,
    GoesOnAfterAnError => after_an_error_the_queue_pair_executes_nothing_more,
    FlushesSilently => requests_behind_a_failing_one_are_flushed_in_order,
    SwallowsErrorsOfUnsignaledRequests =>
        an_unsignaled_request_that_fails_completes_with_its_error,
    EndsAllQueuePairsTogether => other_queue_pairs_go_on_after_an_error,
    CompletesReceivesAtAnError => receive_requests_of_a_queue_pair_in_error_end_flushed_or_never,
    RefusesOnceItWasFull => a_send_queue_filled_to_its_depth_recovers_when_polled,
    DropsRequestsWhenFull => a_full_send_queue_refuses_and_loses_nothing,
    DropsReceivesWhenFull => a_full_receive_queue_refuses_and_loses_nothing,
    GivesHalfTheDepth => as_many_requests_as_the_depth_may_be_outstanding_on_every_queue_pair,
    HasNoLimitOnQueuePairs => more_queue_pairs_than_the_device_has_are_refused,
    HasNoLimitOnDepth => a_deeper_queue_than_the_device_has_is_refused,
    /// Reads beyond `max_rd_atomic` bring nothing.
    ForgetsReadsBeyondTheLimit => any_number_of_outstanding_reads_returns_the_same_data,
    PostsBeforeConnecting => a_post_before_connecting_is_refused,
    ConnectsAnyNumber => a_peer_with_another_number_of_queue_pairs_is_refused,
    DuplicatesACompletion => every_completion_is_of_one_signaled_request_on_one_completion_queue,
    GivesAStaleId => every_completion_is_of_one_signaled_request_on_one_completion_queue,
    LosesACompletion => every_completion_is_of_one_signaled_request_on_many_completion_queues,
    RepeatsTheLastCompletion => a_poll_of_an_empty_queue_returns_nothing,
    LosesWhatDoesNotFit => a_poll_takes_no_more_than_fits_and_leaves_the_rest,
    NamesTheFirstQueuePair => many_queue_pairs_on_one_completion_queue_all_work,
    PollsFewCompletionQueues => many_queue_pairs_on_as_many_completion_queues_all_work,
    CrossesQueuePairs => each_queue_pair_reaches_the_peers_of_the_same_index,
    OnlyTheFirstToConnectSends => both_ends_of_a_queue_pair_may_start_operations,
    SharesOneCompletionQueue => several_endpoints_of_a_device_do_not_disturb_each_other,
    WaitsForLostPeers => a_request_to_a_lost_peer_ends_with_an_error,
    ForgetsRequestsUnderWay => requests_under_way_when_the_peer_is_lost_all_end,
    IsPoisonedByADrop =>
        an_endpoint_dropped_with_requests_under_way_leaves_the_device_usable,
    /// Not a wrong result but none: the suite must survive it.
    Panics => a_zero_length_write_and_read_succeed_and_touch_nothing,
    /// As above.
    Blocks => a_zero_length_write_and_read_succeed_and_touch_nothing,
}
