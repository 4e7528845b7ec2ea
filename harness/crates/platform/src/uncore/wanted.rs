//! Which events tell of the traffic between a card, memory and sockets.
//!
//! Sources: Linux, `arch/x86/events/intel/uncore_snbep.c` and `uncore_snb.c` for the events that
//! sysfs names; Intel Xeon Processor Scalable Memory Family Uncore Performance Monitoring
//! Reference Manual, section 2.6 (UPI), for the words below.

/// One row: units whose name starts so, and their events.
struct Row {
    unit: &'static str,
    events: &'static [&'static str],
}

const fn row(unit: &'static str, events: &'static [&'static str]) -> Row {
    Row { unit, events }
}

/// In the order in which they are opened until the limit is reached.
const TABLE: [Row; 7] = [
    // Memory: 64-byte reads and writes by any requester, the card among them.
    row("uncore_imc_free_running", &["data_read", "data_write", "data_total", "read", "write"]),
    row("uncore_imc", &["cas_count_read", "cas_count_write", "data_reads", "data_writes"]),
    // PCIe: what each port of an I/O stack moved.
    row("uncore_iio_free_running", &["bw_in_port0", "bw_in_port1", "bw_in_port2", "bw_in_port3"]),
    row(
        "uncore_iio_free_running",
        &["bw_out_port0", "bw_out_port1", "bw_out_port2", "bw_out_port3"],
    ),
    // Links between sockets, Broadwell and before; then Skylake and later.
    row("uncore_qpi", &["drs_data", "ncb_data"]),
    row("uncore_upi", &[UPI_SENT.0, UPI_RECEIVED.0]),
    // Arm: HiSilicon's memory controllers.
    row("hisi_sccl", &["flux_rd", "flux_wr"]),
];

/// `UNC_UPI_TxL_FLITS.ALL_DATA` and `UNC_UPI_RxL_FLITS.ALL_DATA`, which sysfs does not name. The
/// same in Skylake-SP, Cascade Lake-SP, Ice Lake-SP and Sapphire Rapids, which are those with a
/// unit of this name.
const UPI_SENT: (&str, &str) = ("txl_flits_all_data", "event=0x02,umask=0x0f");
const UPI_RECEIVED: (&str, &str) = ("rxl_flits_all_data", "event=0x03,umask=0x0f");

/// The events of a unit that are wanted, with their rank: less is opened sooner. A longer name of a
/// unit in the table goes before a shorter one that fits as well.
pub(super) fn events(unit: &str) -> Vec<(usize, &'static str)> {
    let fitting = || TABLE.iter().enumerate().filter(|(_, row)| unit.starts_with(row.unit));
    let longest = fitting().map(|(_, row)| row.unit.len()).max();
    let rows = fitting().filter(|(_, row)| Some(row.unit.len()) == longest);
    rows.flat_map(|(rank, row)| row.events.iter().map(move |event| (rank, *event))).collect()
}

/// The words of a wanted event that the kernel does not name.
pub(super) fn own_words(unit: &str, event: &str) -> Option<&'static str> {
    let ours = unit.starts_with("uncore_upi").then_some([UPI_SENT, UPI_RECEIVED])?;
    ours.into_iter().find(|(name, _)| *name == event).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_first_and_the_longest_name_decides() {
        let names = |unit| events(unit).into_iter().map(|(_, event)| event).collect::<Vec<_>>();
        assert_eq!(names("uncore_imc_0")[..2], ["cas_count_read", "cas_count_write"]);
        assert_eq!(names("uncore_imc_free_running_0").first(), Some(&"data_read"));
        assert_eq!(names("uncore_imc_free_running_0").len(), 5, "none of the shorter name's");
        assert_eq!(names("uncore_iio_free_running_3").len(), 8);
        assert!(names("uncore_iio_0").is_empty() && names("cpu").is_empty());
        assert!(events("uncore_imc_0")[0].0 < events("uncore_upi_0")[0].0);
    }

    #[test]
    fn only_links_have_words_of_our_own() {
        assert_eq!(own_words("uncore_upi_1", UPI_SENT.0), Some("event=0x02,umask=0x0f"));
        assert_eq!(own_words("uncore_imc_1", UPI_SENT.0), None);
        assert_eq!(own_words("uncore_upi_1", "clockticks"), None);
    }
}
