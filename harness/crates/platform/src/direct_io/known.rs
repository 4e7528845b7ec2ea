//! Root ports whose register is known.
//!
//! | CPU | root ports | register |
//! |---|---|---|
//! | Haswell-EP | 8086:2f01 to 2f0b | `perfctrlsts_0`, 0x180 |
//! | Broadwell-EP | 8086:6f01 to 6f0b | the same |
//! | Skylake-SP, Cascade Lake-SP | 8086:2030 to 2033 | the same |
//!
//! Sources: Intel Xeon E5 v3, E5 v4 and Xeon Scalable Family datasheets, volume 2 ("Registers",
//! `perfctrlsts_0`); names of the devices from the PCI ID repository; Farshin et al., USENIX ATC
//! 2020, section 7.
//!
//! Bit 7, `Use_Allocating_Flow_Wr`: 1, and writes use flows that allocate. Bit 3, `NoSnoopOpWrEn`,
//! decides about writes that the card marks as no-snoop only: set, they go past the caches. It is
//! left as the firmware chose it, because to set it gives up coherence where a card makes use of
//! it; cleared, such writes follow bit 7 as all others do.
//!
//! Ice Lake-SP and later have no such register in the root port: 0x180 of a 8086:347a reads back
//! unchanged after a write (aliireza/ddio-bench, issue 3).

use std::fmt;
use std::ops::RangeInclusive;

/// Where a port keeps the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    /// Of the byte with the bit, in configuration space.
    pub offset: u64,
    /// The bit, set when writes may allocate.
    pub allocating: u8,
}

/// Vendor and device of a PCI function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PciId {
    pub vendor: u16,
    pub device: u16,
}

impl fmt::Display for PciId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04x}:{:04x}", self.vendor, self.device)
    }
}

const INTEL: u16 = 0x8086;

const PERFCTRLSTS_0: Register = Register { offset: 0x180, allocating: 1 << 7 };

const KNOWN: [RangeInclusive<u16>; 3] = [0x2f01..=0x2f0b, 0x6f01..=0x6f0b, 0x2030..=0x2033];

/// Ports A to D of Ice Lake-SP and of Sapphire Rapids (PCI ID repository).
const WITHOUT: [RangeInclusive<u16>; 2] = [0x347a..=0x347d, 0x352a..=0x352d];

/// The register of a root port, or why there is none.
pub(super) fn register(id: PciId) -> Result<Register, String> {
    let PciId { vendor, device } = id;
    if vendor != INTEL {
        return Err(format!("its root port {id} is not Intel's, which alone has Direct I/O"));
    }
    if KNOWN.iter().any(|range| range.contains(&device)) {
        return Ok(PERFCTRLSTS_0);
    }
    if WITHOUT.iter().any(|range| range.contains(&device)) {
        return Err(format!(
            "its root port {id} (Ice Lake-SP or later) has no switch of its \
             own; the firmware's set-up may have one for the whole machine"
        ));
    }
    Err(format!(
        "its root port {id} is none of Haswell-EP, Broadwell-EP, Skylake-SP \
         or Cascade Lake-SP, whose registers are known"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vendor: u16, device: u16) -> Result<Register, String> {
        register(PciId { vendor, device })
    }

    #[test]
    fn the_root_ports_of_the_four_known_generations_have_the_register() {
        for device in [0x2f02, 0x2f08, 0x6f01, 0x6f0b, 0x2030, 0x2033] {
            assert_eq!(of(INTEL, device), Ok(PERFCTRLSTS_0), "{device:04x}");
        }
    }

    #[test]
    fn neighbours_of_known_ports_later_cpus_and_other_vendors_are_refused_by_name() {
        // The links to the chipset, the switch of Skylake's uncore, Ice Lake, AMD's Milan, QEMU's.
        let refused = [(INTEL, 0x2f00), (INTEL, 0x6f00), (INTEL, 0x2034), (INTEL, 0x347a)];
        for (vendor, device) in refused.into_iter().chain([(0x1022, 0x1483), (0x1b36, 0x000c)]) {
            let why = of(vendor, device).unwrap_err();
            assert!(why.contains(&format!("{vendor:04x}:{device:04x}")), "{why}");
        }
        assert!(of(INTEL, 0x347a).unwrap_err().contains("Ice Lake"));
        assert!(of(0x1022, 0x2030).unwrap_err().contains("not Intel's"));
    }
}
