//! A node's file, mapped: its tables and rings as a whole, segments one by one or as peers see them.

use std::{
    fs::File,
    io,
    ops::Deref,
    os::fd::AsRawFd,
    ptr::{self, NonNull},
};

use super::{
    layout::NodeMemory,
    lost::{self, Registration},
};

/// A part of a file, mapped.
pub struct FileMapping {
    start: NonNull<u8>,
    length: usize,
    _registration: Registration,
}

// SAFETY: a mapping is the process's and not a thread's; only its address is given out.
unsafe impl Send for FileMapping {}
// SAFETY: as for `Send`.
unsafe impl Sync for FileMapping {}

impl FileMapping {
    /// Maps `length` bytes at an offset, both of whole pages, shared and writable.
    ///
    /// # Errors
    /// What the kernel says; `InvalidData` where the file is too short, as touching what is not
    /// there would be a bus error.
    pub fn new(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let too_short = || io::Error::new(io::ErrorKind::InvalidData, "the file is too short");
        let end = offset.checked_add(length as u64).ok_or_else(too_short)?;
        if file.metadata()?.len() < end {
            return Err(too_short());
        }
        // SAFETY: a new mapping of bytes that the file has, at an address of the kernel's choice.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        match NonNull::new(start.cast::<u8>()) {
            Some(place) if start != libc::MAP_FAILED => {
                let registration = lost::register(start as usize, length);
                Ok(Self { start: place, length, _registration: registration })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The first byte.
    #[inline]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Bytes.
    #[inline]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Drop for FileMapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; who was given the address answers for its use.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// Has the kernel set aside memory for a part of a file, so that a full file system is an error
/// here and not a signal later. A file that ends before grows.
///
/// # Errors
/// What the kernel says; `StorageFull` where there is no room.
pub fn reserve(file: &File, offset: u64, length: u64) -> io::Result<()> {
    loop {
        // SAFETY: it takes numbers only.
        let code = unsafe {
            libc::posix_fallocate(file.as_raw_fd(), offset as libc::off_t, length as libc::off_t)
        };
        match code {
            0 => return Ok(()),
            libc::EINTR => {}
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// A node's tables and rings, in this process. The file stays open, and with it a lock on it.
pub struct NodeMapping {
    mapping: FileMapping,
    file: File,
}

impl NodeMapping {
    /// Maps a file that has the length of a [`NodeMemory`].
    ///
    /// # Errors
    /// As [`FileMapping::new`].
    pub fn new(file: File) -> io::Result<Self> {
        let mapping = FileMapping::new(&file, 0, size_of::<NodeMemory>())?;
        Ok(Self { mapping, file })
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// As [`reserve`].
    ///
    /// # Errors
    /// As [`reserve`].
    pub fn reserve(&self, offset: usize, length: usize) -> io::Result<()> {
        reserve(&self.file, offset as u64, length as u64)
    }
}

impl Deref for NodeMapping {
    type Target = NodeMemory;

    fn deref(&self) -> &NodeMemory {
        // SAFETY: mapped as long as `self`, to its length; every bit pattern is a `NodeMemory`,
        // which consists of atomics, and of lines that `ring` hands from one to another.
        unsafe { self.mapping.start.cast().as_ref() }
    }
}
