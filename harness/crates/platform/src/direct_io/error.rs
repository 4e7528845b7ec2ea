use std::io;
use std::path::{Path, PathBuf};

use super::PciAddress;

/// Why Direct I/O could not be read, switched or given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectIoError {
    /// This device's port is none that is known.
    #[error("Direct I/O cannot be switched for {device}: {why}")]
    Unsupported {
        /// The RDMA device.
        device: String,
        /// Why.
        why: String,
    },
    /// The kernel does not let this process change the port.
    #[error(
        "no right to write {}: switching Direct I/O needs root, and a kernel that is not locked \
         down (/sys/kernel/security/lockdown)", path.display()
    )]
    NotPermitted {
        /// The file of the port's configuration space.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The register reads otherwise than it was written.
    #[error(
        "port {port}: byte {offset:#x} was written {written:#04x} and reads {read:#04x}: the \
         machine (a hypervisor?) does not let Direct I/O be switched"
    )]
    NotTaken {
        /// The root port.
        port: PciAddress,
        /// Offset in configuration space, in bytes.
        offset: u64,
        /// What was written.
        written: u8,
        /// What is read.
        read: u8,
    },
    /// A journal for this port is there already.
    #[error(
        "Direct I/O at port {port} is switched off already, says {}: by another run, or by one \
         that was killed (then start again: it is restored first)", journal.display()
    )]
    AlreadyHeld {
        /// The root port.
        port: PciAddress,
        /// The journal.
        journal: PathBuf,
    },
    /// The process that would restore after a kill is not to be had.
    #[error("the guardian process {program} did not start: {why}; nothing was changed")]
    NoGuardian {
        /// The program.
        program: String,
        /// What went wrong.
        why: String,
    },
    /// A file that is no journal.
    #[error("{} {why}; set the register by hand or restart the machine, then remove it",
        path.display())]
    BadJournal {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another function is where the port was: a journal of another machine, or of before a
    /// restart.
    #[error(
        "port {port} is {found} by now, the journal's was {expected}: nothing is written to it; \
         remove the journal"
    )]
    OtherPort {
        /// The root port.
        port: PciAddress,
        /// Vendor and device as found.
        found: String,
        /// As in the journal.
        expected: String,
    },
    /// A text that is no PCI address.
    #[error("`{text}` is no PCI address; expected one such as 0000:3a:00.0")]
    BadAddress {
        /// The text.
        text: String,
    },
    /// A file could not be used.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Makes an error out of a failed use of a file.
pub(super) fn file<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> DirectIoError + 'a {
    move |source| DirectIoError::File { action, path: path.to_owned(), source }
}
