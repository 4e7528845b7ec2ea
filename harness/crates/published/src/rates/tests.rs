use proptest::prelude::*;

use super::*;

fn read_text(text: &str, clients: u32) -> Result<Vec<PrintedRate>, String> {
    let mut rates = vec![PrintedRate { client: 9, micro_ops: 9 }];
    let read = read(Path::new("f"), text.as_bytes(), clients, &mut rates);
    read.map(|()| rates).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(text: &str, clients: u32, expected: &str) {
    let error = read_text(text, clients).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn lines_are_read_to_the_last_digit_in_their_order() {
    let rates =
        read_text("1\t1\t688493.941253\n0\t1\t0.000000\n1\t2\t2200000.000001\n", 2).unwrap();
    let rate = |client, micro_ops| PrintedRate { client, micro_ops };
    assert_eq!(rates, [rate(1, 688_493_941_253), rate(0, 0), rate(1, 2_200_000_000_001)]);
}

#[test]
fn a_truncated_line_is_named_with_its_number() {
    refused("0\t1\t5.000000\n0\t2\t68849", 1, "f:2: \"0\t2\t68849\" has no line end");
    // Whole but for its end: nobody can know whether a digit is missing.
    refused("0\t1\t5.000000", 1, "f:1: \"0\t1\t5.000000\" has no line end");
}

#[test]
fn what_is_no_number_is_named_with_what_was_expected() {
    for line in [
        "0\t1\tnan",
        "0\t1\t5",
        "0\t1\t5.0",
        "0\t1\t5.0000000",
        "0\t1\t5.00000x",
        "x\t1\t5.000000",
        "0\t\t5.000000",
        "0 1 5.000000",
        "",
        "0\t1\t5.000000\t",
        "0\t1\t1e5",
        "0\t1\t.500000",
        "0\t1\t1234567890123.000000",
        "0\t1\t5.000000\r",
    ] {
        refused(
            &format!("0\t1\t5.000000\n{line}\n"),
            1,
            &format!("f:2: \"{line}\", expected client, epoch"),
        );
    }
}

#[test]
fn a_negative_rate_is_named() {
    refused("0\t1\t5.000000\n0\t2\t-5.000000\n", 1, "f:2: the rate -5.000000 is negative");
}

#[test]
fn a_missing_client_is_named_and_one_too_many_too() {
    refused(
        "0\t1\t5.000000\n2\t1\t5.000000\n",
        3,
        "f: client 1, counted from 0, is missing: by its path the run has clients = 3",
    );
    refused(
        "0\t1\t5.000000\n2\t1\t5.000000\n",
        2,
        "f:2: client 2, counted from 0, but by its path the run has clients = 2",
    );
    refused("4294967296\t1\t5.000000\n", 2, "f:1: client 4294967296");
    refused("", 2, "f is empty");
}

#[test]
fn an_epoch_that_is_there_twice_or_not_at_all_is_named() {
    refused(
        "0\t1\t5.000000\n0\t1\t5.000000\n",
        1,
        "f:2: epoch 1 of client 0 is there twice, expected 2",
    );
    refused(
        "0\t1\t5.000000\n0\t3\t5.000000\n",
        1,
        "f:2: epoch 3 of client 0, but epoch 2 is missing",
    );
    refused("0\t0\t5.000000\n", 1, "f:1: epoch 0 of client 0 is there twice, expected 1");
}

proptest! {
    #[test]
    fn whatever_the_study_prints_is_read_as_it_was(
        lines in proptest::collection::vec((0_u32..4, 0_u64..1_000_000_000_000_000), 1..60)
    ) {
        let mut epochs = [1; 4];
        let mut text = String::new();
        (0..4).for_each(|client| text += &format!("{client}\t1\t0.000000\n"));
        for &(client, micro_ops) in &lines {
            let epoch = &mut epochs[client as usize];
            *epoch += 1;
            text += &format!("{client}\t{epoch}\t{}.{:06}\n", micro_ops / 1_000_000, micro_ops % 1_000_000);
        }
        let read = read_text(&text, 4).unwrap();
        let expected = lines.iter().map(|&(client, micro_ops)| PrintedRate { client, micro_ops });
        prop_assert_eq!(&read[4..], &expected.collect::<Vec<_>>()[..]);
    }

    #[test]
    fn a_file_cut_anywhere_within_a_line_is_refused(cut in 1_usize..60) {
        let text = "0\t1\t688493.941253\n0\t2\t688493.941253\n0\t3\t688493.941253\n0\t4\t1.000000\n";
        let text = &text[..cut];
        prop_assert_eq!(read_text(text, 1).is_ok(), text.ends_with('\n'));
    }
}
