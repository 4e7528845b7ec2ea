//! A device that was opened, and its protection domain.

use std::{io, ptr::NonNull, sync::Arc};

use crate::{
    device_list::Listed,
    ffi::{self, ibv_context, ibv_device_attr, ibv_pd, ibv_port_attr},
    library::{Library, check},
};

/// An open device. Closed when the last that uses it is gone.
pub(crate) struct Context {
    library: Arc<Library>,
    raw: NonNull<ibv_context>,
}

// SAFETY: verbs may be called from any thread, several at a time: libibverbs and its providers
// lock what is shared inside.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Opens a listed device.
    pub(crate) fn open(device: Listed<'_>) -> io::Result<Arc<Self>> {
        let library = Arc::clone(device.library());
        // SAFETY: the device is of a list that lives.
        let raw = unsafe { library.symbols().ibv_open_device(device.as_ptr()) };
        let raw = NonNull::new(raw).ok_or_else(io::Error::last_os_error)?;
        Ok(Arc::new(Self { library, raw }))
    }

    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    pub(crate) fn as_ptr(&self) -> *mut ibv_context {
        self.raw.as_ptr()
    }

    /// Limits and identity of the device.
    pub(crate) fn query_device(&self) -> io::Result<ibv_device_attr> {
        let mut attributes = ibv_device_attr::default();
        // SAFETY: the context is open; the attributes are written to a variable that lives.
        let code =
            unsafe { self.library.symbols().ibv_query_device(self.as_ptr(), &raw mut attributes) };
        check(code).map(|()| attributes)
    }

    /// What a port is now.
    pub(crate) fn query_port(&self, port: u8) -> io::Result<ibv_port_attr> {
        // SAFETY: the context is open, and through these symbols.
        let queried = unsafe { ffi::query_port(self.library.symbols(), self.as_ptr(), port) };
        queried.map_err(|code| check(code).err().unwrap_or_else(io::Error::last_os_error))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: all that was made from it holds it alive, so nothing is left.
        unsafe { self.library.symbols().ibv_close_device(self.as_ptr()) };
    }
}

/// A protection domain: which regions which queue pairs may use.
pub(crate) struct ProtectionDomain {
    context: Arc<Context>,
    raw: NonNull<ibv_pd>,
}

// SAFETY: as for `Context`.
unsafe impl Send for ProtectionDomain {}
// SAFETY: as for `Context`.
unsafe impl Sync for ProtectionDomain {}

impl ProtectionDomain {
    pub(crate) fn allocate(context: &Arc<Context>) -> io::Result<Arc<Self>> {
        // SAFETY: the context is open.
        let raw = unsafe { context.library.symbols().ibv_alloc_pd(context.as_ptr()) };
        let raw = NonNull::new(raw).ok_or_else(io::Error::last_os_error)?;
        Ok(Arc::new(Self { context: Arc::clone(context), raw }))
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn as_ptr(&self) -> *mut ibv_pd {
        self.raw.as_ptr()
    }
}

impl Drop for ProtectionDomain {
    fn drop(&mut self) {
        // SAFETY: regions and queue pairs of it hold it alive, so none is left.
        unsafe { self.context.library.symbols().ibv_dealloc_pd(self.as_ptr()) };
    }
}
