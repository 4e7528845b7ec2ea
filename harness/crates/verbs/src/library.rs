//! libibverbs, found at run time.

use std::{
    env,
    error::Error,
    ffi::{OsString, c_int},
    io,
    mem::ManuallyDrop,
    sync::Arc,
};

use libloading::os::unix;

use crate::ffi::{QueryGidTable, Symbols};

/// The environment variable that names another file than [`DEFAULT`].
pub const OVERRIDE: &str = "ONESIDED_LIBIBVERBS";

/// What the dynamic linker is asked for: the soname of rdma-core's library since its first
/// release.
pub const DEFAULT: &str = "libibverbs.so.1";

/// Why libibverbs cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The dynamic linker did not find or did not accept it.
    #[error(
        "cannot load {}: {reason}; install it with `apt install libibverbs1 ibverbs-providers` \
         or name its file in {OVERRIDE}",
        tried.display()
    )]
    LibraryMissing {
        /// The name or path that was tried.
        tried: OsString,
        /// What the dynamic linker says (`dlerror(3)`).
        reason: String,
    },
    /// This program is linked statically. The C library in it would load a second one with libibverbs, of
    /// another version where it runs elsewhere (ld(1) warns of it), which works by chance.
    #[error(
        "this program is linked statically and loads no library: it measures over no RDMA device; build one \
         that does with ci/build, or take the other one of the release"
    )]
    Static,
    /// It was loaded but lacks a function: another library, or one before rdma-core.
    #[error("{} is no libibverbs that can be used: {reason}", tried.display())]
    SymbolMissing {
        /// The name or path that was loaded.
        tried: OsString,
        /// What the dynamic linker says; it names the symbol.
        reason: String,
    },
    /// It cannot list devices.
    #[error("libibverbs cannot list the RDMA devices")]
    List {
        /// The provider's error.
        source: io::Error,
    },
}

/// The library with all functions that this crate calls, looked up and found.
///
/// It is never unloaded: providers keep threads and handlers of their own inside.
pub(crate) struct Library {
    symbols: ManuallyDrop<Symbols>,
    query_gid_table: Option<QueryGidTable>,
}

impl Library {
    /// Loads what [`OVERRIDE`] names, or else [`DEFAULT`].
    pub(crate) fn load() -> Result<Arc<Self>, LibraryError> {
        Self::load_from(env::var_os(OVERRIDE).unwrap_or_else(|| DEFAULT.into()))
    }

    /// Loads `tried`, a path or a name for the dynamic linker to search.
    pub(crate) fn load_from(tried: OsString) -> Result<Arc<Self>, LibraryError> {
        if cfg!(target_feature = "crt-static") {
            return Err(LibraryError::Static);
        }
        // SAFETY: loading runs the initializers of a system library, which have no conditions of
        // their own; a file that the user names is the user's to trust.
        let opened =
            unsafe { unix::Library::open(Some(&tried), unix::RTLD_NOW | unix::RTLD_LOCAL) };
        let library: libloading::Library = match opened {
            Ok(library) => library.into(),
            Err(error) => {
                return Err(LibraryError::LibraryMissing { tried, reason: dlerror(&error) });
            }
        };
        // SAFETY: the type is that of the declaration in verbs.h.
        let query_gid_table = unsafe { library.get(b"_ibv_query_gid_table\0") }.map(|found| *found);
        // SAFETY: the types are those of the declarations in verbs.h.
        match unsafe { Symbols::from_library(library) } {
            Ok(symbols) => Ok(Arc::new(Self {
                symbols: ManuallyDrop::new(symbols),
                query_gid_table: query_gid_table.ok(),
            })),
            Err(error) => Err(LibraryError::SymbolMissing { tried, reason: dlerror(&error) }),
        }
    }

    /// The functions.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The one function that older libraries lack.
    pub(crate) fn query_gid_table(&self) -> Option<QueryGidTable> {
        self.query_gid_table
    }
}

/// What the dynamic linker said, which is the source of libloading's error.
fn dlerror(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Turns what most verbs return, 0 or an errno, into a result. Some old providers return -1 and
/// set errno instead.
pub(crate) fn check(code: c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        code if code > 0 => Err(io::Error::from_raw_os_error(code)),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_says_what_was_tried_why_and_what_to_install() {
        let Err(error) = Library::load_from("/nonexistent/libibverbs.so.1".into()) else {
            panic!("there is no such file");
        };
        let message = error.to_string();
        assert!(message.contains("cannot load /nonexistent/libibverbs.so.1"), "{message}");
        assert!(message.contains("No such file"), "the dlerror is kept: {message}");
        assert!(message.contains("apt install libibverbs1 ibverbs-providers"), "{message}");
    }

    #[test]
    fn a_library_without_the_verbs_is_refused_with_the_symbol_that_it_lacks() {
        let Err(error) = Library::load_from("libc.so.6".into()) else {
            panic!("the C library has no verbs");
        };
        assert!(matches!(error, LibraryError::SymbolMissing { .. }), "{error}");
        assert!(error.to_string().contains("ibv_get_device_list"), "{error}");
    }

    #[test]
    fn an_errno_that_a_verb_returns_becomes_the_systems_error() {
        assert_eq!(check(libc::EINVAL).unwrap_err().raw_os_error(), Some(libc::EINVAL));
        assert!(check(0).is_ok());
    }
}
