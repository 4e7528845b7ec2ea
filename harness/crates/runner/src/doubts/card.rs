//! Doubts about what a device counted during a run, and about its port.

use onesided_results::{Doubt, record::CounterRecord, vocabulary::Side};

/// Counters whose rise means that packets were lost, repeated or refused. Of all devices
/// (Documentation/ABI/stable/sysfs-class-infiniband), then those of rdma_rxe
/// (`drivers/infiniband/sw/rxe/rxe_hw_counters.c`), mlx5 (`drivers/infiniband/hw/mlx5/counters.c`) and our `rmc`.
///
/// Not here, because they rise in a run without any trouble: `port_xmit_wait`, which counts credits
/// that a busy link waits for, and rxe's `ack_deferred`, which counts acknowledgements that are
/// handled by a work queue.
const TROUBLE: [&str; 39] = [
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors",
    "port_rcv_constraint_errors",
    "port_xmit_discards",
    "port_xmit_constraint_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
    "VL15_dropped",
    // Both drivers.
    "duplicate_request",
    // rxe
    "out_of_seq_request",
    "rcvd_rnr_err",
    "send_rnr_err",
    "rcvd_seq_err",
    "retry_exceeded_err",
    "retry_rnr_exceeded_err",
    "completer_retry_err",
    "send_err",
    // mlx5
    "out_of_buffer",
    "out_of_sequence",
    "rnr_nak_retry_err",
    "packet_seq_err",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "resp_local_length_error",
    "resp_cqe_error",
    "req_cqe_error",
    "req_remote_invalid_request",
    "req_remote_access_errors",
    "resp_remote_access_errors",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_trans",
    "rx_icrc_encapsulated",
    // rmc: no receive request was posted, or the request was not allowed.
    "responder_refused",
];

/// Counters of mlx5 whose rise means that congestion control (DCQCN) acted: packets were marked on
/// their way, or notifications of that sent, received or counted in a slow restart.
const CONGESTION: [&str; 5] = [
    "np_ecn_marked_roce_packets",
    "np_cnp_sent",
    "rp_cnp_handled",
    "rp_cnp_ignored",
    "roce_slow_restart_cnps",
];

/// Counters that rose although they should not, and a port that is not what it was.
pub(super) fn of_counters(side: Side, counters: &CounterRecord, doubts: &mut Vec<Doubt>) {
    if let Some(risen) = risen(counters, &TROUBLE) {
        doubts.push(Doubt::LinkTrouble { side, counters: risen });
    }
    if let Some(risen) = risen(counters, &CONGESTION) {
        doubts.push(Doubt::Congested { side, counters: risen });
    }
    if let Some(state) = counters.port_state_after.as_ref().filter(|state| *state != "active") {
        doubts.push(Doubt::PortLost { side, state: state.clone() });
    }
}

/// Those of the counters that rose, each with its increase; absent if none did.
fn risen(counters: &CounterRecord, names: &[&str]) -> Option<String> {
    let rise = |(path, after): (&String, &u64)| {
        // Counters are named by folder and file; the folder depends on the driver.
        let name = path.rsplit('/').next().unwrap_or(path);
        let increase = after.saturating_sub(*counters.before.get(path)?);
        (names.contains(&name) && increase > 0).then(|| format!("{path} by {increase}"))
    };
    let risen: Vec<_> = counters.after.iter().filter_map(rise).collect();
    (!risen.is_empty()).then(|| risen.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counted: &[(&str, u64, u64)], port_state_after: Option<&str>) -> Vec<Doubt> {
        let named = |value: fn(&(&str, u64, u64)) -> u64| {
            counted.iter().map(|entry| (entry.0.to_owned(), value(entry))).collect()
        };
        let counters = CounterRecord {
            before: named(|entry| entry.1),
            after: named(|entry| entry.2),
            port_state_after: port_state_after.map(str::to_owned),
            notes: Vec::new(),
        };
        let mut doubts = Vec::new();
        of_counters(Side::Server, &counters, &mut doubts);
        doubts
    }

    #[test]
    fn what_counts_packets_and_what_stood_still_raises_nothing() {
        let quiet = [
            ("counters/port_xmit_packets", 3, 900),
            ("counters/port_xmit_wait", 0, 7),
            ("hw_counters/ack_deferred", 0, 12),
            ("hw_counters/duplicate_request", 41, 41),
        ];
        assert!(of(&quiet, Some("active")).is_empty());
        assert!(of(&[], None).is_empty());
    }

    #[test]
    fn all_counters_of_trouble_that_rose_are_in_one_doubt() {
        let risen = [
            ("counters/link_downed", 1, 2),
            ("hw_counters/completer_retry_err", 0, 31),
            ("hw_counters/sent_pkts", 0, 900),
        ];
        let counters = "counters/link_downed by 1, hw_counters/completer_retry_err by 31";
        let told = Doubt::LinkTrouble { side: Side::Server, counters: counters.to_owned() };
        assert_eq!(of(&risen, Some("active")), [told]);
    }

    #[test]
    fn a_network_that_slows_senders_and_a_port_that_went_down_are_told() {
        let marked = [("hw_counters/rp_cnp_handled", 5, 9)];
        let doubts = of(&marked, Some("inactive"));
        let words: Vec<_> = doubts.iter().map(Doubt::name).collect();
        assert_eq!(words, ["congested", "port-lost"]);
        assert!(doubts[0].explain().ends_with("rose: hw_counters/rp_cnp_handled by 4"));
    }
}
