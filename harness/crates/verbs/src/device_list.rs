//! Devices as libibverbs lists them.

use std::{
    ffi::{CStr, c_char, c_int},
    io,
    path::PathBuf,
    ptr::NonNull,
    slice,
    sync::Arc,
};

use crate::{
    ffi::{IBV_TRANSPORT_IB, ibv_device},
    library::{Library, LibraryError},
};

/// The list; devices in it stay valid as long as it, or a context opened from one.
pub(crate) struct DeviceList {
    library: Arc<Library>,
    /// `None` where the kernel has no RDMA at all.
    first: Option<NonNull<*mut ibv_device>>,
    length: usize,
}

/// A device of the list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'list> {
    list: &'list DeviceList,
    raw: NonNull<ibv_device>,
}

impl DeviceList {
    /// Asks the library, which asks the kernel.
    pub(crate) fn query(library: &Arc<Library>) -> Result<Self, LibraryError> {
        let mut length: c_int = 0;
        // SAFETY: the count is written to a variable that lives.
        let first = unsafe { library.symbols().ibv_get_device_list(&raw mut length) };
        let source = io::Error::last_os_error();
        let first = NonNull::new(first);
        // ENOSYS: the kernel has no module ib_uverbs loaded, which is no device, not a failure.
        if first.is_none() && source.raw_os_error() != Some(libc::ENOSYS) {
            return Err(LibraryError::List { source });
        }
        let length = usize::try_from(length).unwrap_or(0);
        Ok(Self { library: Arc::clone(library), first, length })
    }

    /// The devices, in the library's order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Listed<'_>> {
        let devices: &[*mut ibv_device] = match self.first {
            // SAFETY: the library returned an array of that many.
            Some(first) => unsafe { slice::from_raw_parts(first.as_ptr(), self.length) },
            None => &[],
        };
        devices.iter().filter_map(|&raw| Some(Listed { list: self, raw: NonNull::new(raw)? }))
    }

    /// The names of all.
    pub(crate) fn names(&self) -> Vec<String> {
        self.iter().map(Listed::name).collect()
    }
}

impl Drop for DeviceList {
    fn drop(&mut self) {
        if let Some(first) = self.first {
            // SAFETY: the library made it, and it is freed once.
            unsafe { self.library.symbols().ibv_free_device_list(first.as_ptr()) };
        }
    }
}

impl<'list> Listed<'list> {
    /// The name in the RDMA subsystem.
    pub(crate) fn name(self) -> String {
        // SAFETY: the device is of a list that lives; its name ends in a zero byte.
        let name = unsafe {
            CStr::from_ptr(self.library().symbols().ibv_get_device_name(self.raw.as_ptr()))
        };
        name.to_string_lossy().into_owned()
    }

    /// The file through which it is opened.
    pub(crate) fn file(self) -> PathBuf {
        // SAFETY: the device is of a list that lives.
        let name = unsafe { (*self.raw.as_ptr()).dev_name };
        PathBuf::from("/dev/infiniband").join(text(&name))
    }

    /// Whether queue pairs of it can be connected by verbs alone; iWARP and others cannot.
    pub(crate) fn speaks_infiniband_transport(self) -> bool {
        // SAFETY: the device is of a list that lives.
        unsafe { (*self.raw.as_ptr()).transport_type == IBV_TRANSPORT_IB }
    }

    /// The library that listed it.
    pub(crate) fn library(self) -> &'list Arc<Library> {
        &self.list.library
    }

    /// The library's own handle, valid as long as the list.
    pub(crate) fn as_ptr(self) -> *mut ibv_device {
        self.raw.as_ptr()
    }
}

/// The text of a C array of characters, up to its first zero.
pub(crate) fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> =
        characters.iter().map(|&one| one as u8).take_while(|&one| one != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
