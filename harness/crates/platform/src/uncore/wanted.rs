//! Which events tell of the traffic between a card, memory and sockets.
//!
//! Sources: Linux, `arch/x86/events/intel/uncore_snbep.c` and `uncore_snb.c` for the events that
//! sysfs names; for the words below Intel Xeon Processor Scalable Memory Family Uncore Performance
//! Monitoring Reference Manual, section 2.6 (UPI), and Linux, `tools/perf/pmu-events/arch/x86` (`haswellx`,
//! `skylakex`, `icelakex`; TOR inserts by opcode, and transactions requested of the CPU).

/// One row: units whose name starts so, and their events.
struct Row {
    unit: &'static str,
    events: &'static [&'static str],
}

const fn row(unit: &'static str, events: &'static [&'static str]) -> Row {
    Row { unit, events }
}

/// In the order in which they are opened until the limit is reached.
const TABLE: [Row; 9] = [
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
    // Requests of cards to memory, which 003 reads misses of a card's caches from (section 5.1): Sandy Bridge
    // to Broadwell count lines, Skylake and later transactions by port.
    row("uncore_cbox", &[PCIE_READ_CURRENT.0]),
    row("uncore_iio", &[READS[0].0, READS[1].0, READS[2].0, READS[3].0]),
];

/// `UNC_UPI_TxL_FLITS.ALL_DATA` and `UNC_UPI_RxL_FLITS.ALL_DATA`, which sysfs does not name. The
/// same in Skylake-SP, Cascade Lake-SP, Ice Lake-SP and Sapphire Rapids, which are those with a
/// unit of this name.
const UPI_SENT: (&str, &str) = ("txl_flits_all_data", "event=0x02,umask=0x0f");
const UPI_RECEIVED: (&str, &str) = ("rxl_flits_all_data", "event=0x03,umask=0x0f");

/// `UNC_C_TOR_INSERTS.OPCODE` of the opcode PCIeRdCur: lines that cards read through a slice of the cache.
const PCIE_READ_CURRENT: (&str, &str) = ("pcie_rd_cur", "event=0x35,umask=0x01,filter_opc=0x19e");

/// `UNC_IIO_TXN_REQ_OF_CPU.MEM_READ.PART0` to `3`: reads of up to 64 bytes by the card in each port.
const READS: [(&str, &str); 4] = [
    ("mem_read_part0", "event=0x84,umask=0x04,ch_mask=0x01,fc_mask=0x07"),
    ("mem_read_part1", "event=0x84,umask=0x04,ch_mask=0x02,fc_mask=0x07"),
    ("mem_read_part2", "event=0x84,umask=0x04,ch_mask=0x04,fc_mask=0x07"),
    ("mem_read_part3", "event=0x84,umask=0x04,ch_mask=0x08,fc_mask=0x07"),
];

/// Units whose events the kernel does not name, and the words of these.
const OWN: [(&str, &[(&str, &str)]); 3] = [
    ("uncore_upi", &[UPI_SENT, UPI_RECEIVED]),
    ("uncore_cbox", &[PCIE_READ_CURRENT]),
    ("uncore_iio", &READS),
];

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
    let ours = OWN.iter().filter(|(name, _)| unit.starts_with(name)).flat_map(|(_, words)| *words);
    ours.copied().find(|(name, _)| *name == event).map(|(_, words)| words)
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
        assert_eq!(names("uncore_iio_0"), READS.map(|(name, _)| name));
        assert!(names("uncore_cha_0").is_empty() && names("cpu").is_empty());
        let rank = |unit| events(unit)[0].0;
        assert!(rank("uncore_imc_0") < rank("uncore_upi_0"));
        assert!(rank("uncore_upi_0") < rank("uncore_cbox_0"), "what was there is left out later");
    }

    #[test]
    fn events_that_the_kernel_does_not_name_have_words_of_our_own() {
        assert_eq!(own_words("uncore_upi_1", UPI_SENT.0), Some("event=0x02,umask=0x0f"));
        assert_eq!(own_words("uncore_imc_1", UPI_SENT.0), None);
        let reads = own_words("uncore_iio_4", "mem_read_part2");
        assert_eq!(reads, Some("event=0x84,umask=0x04,ch_mask=0x04,fc_mask=0x07"));
        assert_eq!(own_words("uncore_iio_4", PCIE_READ_CURRENT.0), None);
        for (unit, words) in OWN {
            let asked: Vec<_> = events(unit).into_iter().map(|(_, event)| event).collect();
            assert_eq!(asked, words.iter().map(|(event, _)| *event).collect::<Vec<_>>(), "{unit}");
        }
        assert_eq!(own_words("uncore_upi_1", "clockticks"), None);
    }
}
