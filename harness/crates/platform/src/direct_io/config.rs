//! A PCI function's configuration space, as sysfs shows it (Linux, `Documentation/ABI/testing/
//! sysfs-bus-pci`, `config`): little-endian, 4096 bytes for PCI Express, of which others than root
//! see 64.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::error::{DirectIoError, file};
use super::known::PciId;

/// What root sees of a PCI Express function (PCI Express Base Specification, 7.2).
const EXTENDED_BYTES: u64 = 4096;

/// A PCI function's place, such as `0000:3a:00.0`: domain, bus, device, function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PciAddress(String);

impl FromStr for PciAddress {
    type Err = DirectIoError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match has_form(text) {
            true => Ok(Self(text.to_owned())),
            false => Err(DirectIoError::BadAddress { text: text.to_owned() }),
        }
    }
}

/// Domains beyond 0xffff exist: behind a volume management device they start at 10000.
fn has_form(text: &str) -> bool {
    let hexadecimal = |part: &str, digits: &[usize]| {
        digits.contains(&part.len())
            && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let Some((front, function)) = text.split_once('.') else { return false };
    let mut parts = front.split(':');
    let places: [&[usize]; 3] = [&[4, 5], &[2], &[2]];
    places.iter().all(|digits| parts.next().is_some_and(|part| hexadecimal(part, digits)))
        && parts.next().is_none()
        && matches!(function.as_bytes(), [b'0'..=b'7'])
}

impl fmt::Display for PciAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The configuration space of one function.
#[derive(Debug)]
pub(super) struct ConfigSpace {
    pub port: PciAddress,
    path: PathBuf,
}

impl ConfigSpace {
    pub(super) fn of(sys: &Path, port: PciAddress) -> Self {
        let path = sys.join("bus/pci/devices").join(&port.0).join("config");
        Self { port, path }
    }

    /// Vendor and device (PCI Local Bus Specification, 6.2.1): bytes 0 and 2, two each.
    pub(super) fn id(&self) -> Result<PciId, DirectIoError> {
        let mut bytes = [0; 4];
        let config = File::open(&self.path).map_err(file("open", &self.path))?;
        config.read_exact_at(&mut bytes, 0).map_err(file("read", &self.path))?;
        let [a, b, c, d] = bytes;
        Ok(PciId { vendor: u16::from_le_bytes([a, b]), device: u16::from_le_bytes([c, d]) })
    }

    /// Fails with the reason where the part beyond 256 bytes does not exist or is hidden.
    pub(super) fn require_extended(&self) -> Result<(), String> {
        let shown = std::fs::metadata(&self.path).map(|found| found.len()).unwrap_or(0);
        if shown < EXTENDED_BYTES {
            return Err(format!(
                "the configuration space of its root port {} has {shown} bytes here, expected \
                 {EXTENDED_BYTES}",
                self.port
            ));
        }
        match self.byte(EXTENDED_BYTES - 1) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!(
                "the configuration space of its root port {} is shown to root only",
                self.port
            )),
        }
    }

    /// One byte.
    pub(super) fn byte(&self, offset: u64) -> Result<u8, DirectIoError> {
        let mut byte = [0];
        let config = File::open(&self.path).map_err(file("open", &self.path))?;
        config.read_exact_at(&mut byte, offset).map_err(file("read", &self.path))?;
        Ok(byte[0])
    }

    /// Opens it for [`write`], which shows whether that is allowed before anything is changed.
    pub(super) fn writable(&self) -> Result<File, DirectIoError> {
        OpenOptions::new().write(true).open(&self.path).map_err(|error| self.refused(error))
    }

    /// Writes one byte, and reads it back: `NotTaken` when `mask` of it is not as written.
    pub(super) fn write(&self, offset: u64, value: u8, mask: u8) -> Result<(), DirectIoError> {
        let config = self.writable()?;
        config.write_all_at(&[value], offset).map_err(|error| self.refused(error))?;
        let read = self.byte(offset)?;
        match (read ^ value) & mask {
            0 => Ok(()),
            _ => {
                let port = self.port.clone();
                Err(DirectIoError::NotTaken { port, offset, written: value, read })
            }
        }
    }

    fn refused(&self, source: io::Error) -> DirectIoError {
        let path = self.path.clone();
        match source.kind() {
            ErrorKind::PermissionDenied => DirectIoError::NotPermitted { path, source },
            _ => DirectIoError::File { action: "write", path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_that_does_not_take_the_value_is_told_with_what_it_reads() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("bus/pci/devices/0000:3a:00.0");
        std::fs::create_dir_all(&device).unwrap();
        // Takes every write and reads as 0.
        std::os::unix::fs::symlink("/dev/zero", device.join("config")).unwrap();
        let space = ConfigSpace::of(folder.path(), "0000:3a:00.0".parse().unwrap());
        space.write(0x180, 0x11, 0x80).unwrap();
        let error = space.write(0x180, 0x91, 0x80).unwrap_err().to_string();
        assert!(error.contains("byte 0x180 was written 0x91 and reads 0x00"), "{error}");
    }

    #[test]
    fn addresses_are_taken_as_the_kernel_writes_them_and_nothing_else_is() {
        for right in ["0000:3a:00.0", "10000:e1:1f.7"] {
            assert_eq!(right.parse::<PciAddress>().unwrap().to_string(), right);
        }
        let wrong =
            ["", "3a:00.0", "0000:3A:00.0", "0000:3a:00", "0000:3a:00.8", "../x", "0000:3a:00.0/"];
        for wrong in wrong {
            assert!(wrong.parse::<PciAddress>().is_err(), "{wrong}");
        }
    }
}
