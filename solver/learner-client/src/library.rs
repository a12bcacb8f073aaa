//! Finding, opening and checking the learner library.

use std::error::Error;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libloading::Library;

/// File name of the library on this system.
pub const LIBRARY_NAME: &str = "libballast_learner.so";

#[expect(unreachable_pub, reason = "the file is shared with the library, where its items are public")]
#[path = "../../learner/src/layout.rs"]
mod layout;

use layout::ABI_VERSION;
pub(crate) use layout::{PolicyBatch, ValueBatch};

/// Why a network could not be made, run or trained.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LearnerError {
    /// The library is not there or cannot be opened.
    #[error(
        "the learner library cannot be opened: {0}; build it with `cargo build --release -p ballast-learner`"
    )]
    Open(String),
    /// The library is of another build.
    #[error("the learner library speaks interface {found} and this program {ABI_VERSION}: build both anew")]
    Version {
        /// What the library says.
        found: u32,
    },
    /// An array of the wrong length was given.
    #[error("{what}: {given} numbers, but {expected} are needed")]
    Shape {
        /// The array.
        what: &'static str,
        /// Its length.
        given: usize,
        /// What it should be.
        expected: usize,
    },
    /// The library refused or failed.
    #[error("{0}")]
    Failed(String),
}

type Message = *mut c_char;
/// A network behind the interface.
pub(crate) type Handle = *mut c_void;

/// The functions of the library.
pub(crate) struct Functions {
    pub(crate) create: unsafe extern "C" fn(*const c_char, *mut Handle) -> Message,
    pub(crate) free: unsafe extern "C" fn(Handle),
    pub(crate) parameters: unsafe extern "C" fn(*const c_void) -> usize,
    pub(crate) state_length: unsafe extern "C" fn(*const c_void) -> usize,
    pub(crate) read_state: unsafe extern "C" fn(Handle, *mut f32, usize) -> Message,
    pub(crate) write_state: unsafe extern "C" fn(Handle, *const f32, usize) -> Message,
    pub(crate) forward:
        unsafe extern "C" fn(Handle, usize, usize, *const f32, *const u8, *mut f32) -> Message,
    pub(crate) update_policy: unsafe extern "C" fn(Handle, *const PolicyBatch, *mut f64) -> Message,
    pub(crate) update_value: unsafe extern "C" fn(Handle, *const ValueBatch, *mut f64) -> Message,
    free_string: unsafe extern "C" fn(Message),
}

/// The opened library.
pub struct Learner {
    pub(crate) functions: Functions,
    /// Keeps the functions valid. Never closed: libtorch does not expect to be unloaded.
    library: ManuallyDrop<Library>,
}

impl std::fmt::Debug for Learner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner").finish_non_exhaustive()
    }
}

impl Learner {
    /// Opens the library at `path`, or else beside the file this code is in (the plugin, in a host such as
    /// `mlir-opt`) or beside the running program, in the folder above (where cargo puts it for tests), in
    /// `../lib`, or where the system's loader finds it.
    ///
    /// # Errors
    /// [`LearnerError::Open`] if there is none, [`LearnerError::Version`] for one of another build.
    pub fn open(path: Option<&Path>) -> Result<Arc<Self>, LearnerError> {
        let path = path.map_or_else(default_path, Path::to_owned);
        // A bare name is looked for by the system's loader.
        if path.exists() {
            whole(&path).map_err(|reason| LearnerError::Open(format!("{}: {reason}", path.display())))?;
        }
        // SAFETY: the library's initialisers are those of libtorch and of our own crate.
        let library = unsafe { Library::new(&path) }.map_err(|error| {
            // The loader's own words are one level down.
            let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            LearnerError::Open(format!("{}: {reason}", path.display()))
        })?;
        // SAFETY: the function has this type in every version of the interface.
        let version: unsafe extern "C" fn() -> u32 =
            unsafe { symbol(&library, "ballast_learner_abi_version") }?;
        // SAFETY: it has no preconditions.
        let found = unsafe { version() };
        if found != ABI_VERSION {
            return Err(LearnerError::Version { found });
        }
        // SAFETY: the types are those of version ABI_VERSION, which the library has just named.
        let functions = unsafe {
            Functions {
                create: symbol(&library, "ballast_learner_create")?,
                free: symbol(&library, "ballast_learner_free")?,
                parameters: symbol(&library, "ballast_learner_parameters")?,
                state_length: symbol(&library, "ballast_learner_state_length")?,
                read_state: symbol(&library, "ballast_learner_read_state")?,
                write_state: symbol(&library, "ballast_learner_write_state")?,
                forward: symbol(&library, "ballast_learner_forward")?,
                update_policy: symbol(&library, "ballast_learner_update_policy")?,
                update_value: symbol(&library, "ballast_learner_update_value")?,
                free_string: symbol(&library, "ballast_learner_free_string")?,
            }
        };
        Ok(Arc::new(Learner { functions, library: ManuallyDrop::new(library) }))
    }

    /// Version of the libtorch that the library was built with.
    ///
    /// # Errors
    /// A library that does not say.
    pub fn libtorch(&self) -> Result<String, LearnerError> {
        // SAFETY: the function has this type in every version of the interface that has it.
        let version: unsafe extern "C" fn() -> *const c_char =
            unsafe { symbol(&self.library, "ballast_learner_libtorch_version") }?;
        // SAFETY: a text that lives as long as the library.
        Ok(unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned())
    }

    /// Turns a returned message into a result.
    ///
    /// # Safety
    /// `message` is null or came from this library and was not freed.
    pub(crate) unsafe fn outcome(&self, message: Message) -> Result<(), LearnerError> {
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: a C string of the library, by the caller's contract.
        let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
        // SAFETY: not freed before, by the caller's contract.
        unsafe { (self.functions.free_string)(message) };
        Err(LearnerError::Failed(text))
    }
}

/// # Safety
/// `T` is the type of the function called `name`.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, LearnerError> {
    // SAFETY: by the caller's contract.
    unsafe { library.get::<T>(name.as_bytes()) }
        .map(|function| *function)
        .map_err(|error| LearnerError::Open(error.to_string()))
}

/// Is a file a shared object that is all there? The loader maps one without a look at its length, and where it was cut short the
/// process dies (SIGBUS) as soon as it touches what is missing.
///
/// Reads the ELF header and the program headers (System V ABI, chapters 4 and 5) of a 64-bit file of this machine.
fn whole(path: &Path) -> Result<(), String> {
    const HEADER: usize = 64;
    const SEGMENT: usize = 56;
    let mut file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let about = file.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("no regular file".into());
    }
    let length = about.len();
    let mut header = [0; HEADER];
    let wrong = || "no shared object of this machine".to_owned();
    file.read_exact(&mut header).map_err(|_| wrong())?;
    // Magic number, 64 bits, little-endian.
    if header[..6] != [0x7f, b'E', b'L', b'F', 2, 1] {
        return Err(wrong());
    }
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let (segments_at, sections_at) = (long(&header, 32), long(&header, 40));
    let (segments, sections) = (u64::from(short(56)), u64::from(short(60)));
    let cut =
        || format!("cut short: it has {length} bytes and its headers speak of more: copy or build it again");
    let ends = |start: u64, size: u64| start.checked_add(size).filter(|&end| end <= length);
    ends(sections_at, sections * u64::from(short(58))).ok_or_else(cut)?;
    ends(segments_at, segments * SEGMENT as u64).ok_or_else(cut)?;
    file.seek(SeekFrom::Start(segments_at)).map_err(|error| error.to_string())?;
    for _ in 0..segments {
        let mut segment = [0; SEGMENT];
        file.read_exact(&mut segment).map_err(|error| error.to_string())?;
        ends(long(&segment, 8), long(&segment, 32)).ok_or_else(cut)?;
    }
    Ok(())
}

/// Eight bytes as a number.
fn long(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn default_path() -> PathBuf {
    let program = std::env::current_exe().ok();
    own_file()
        .into_iter()
        .chain(program)
        .filter_map(|file| file.parent().map(Path::to_owned))
        .flat_map(|folder| {
            [
                folder.join(LIBRARY_NAME),
                folder.join("..").join(LIBRARY_NAME),
                folder.join("../lib").join(LIBRARY_NAME),
            ]
        })
        .find(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from(LIBRARY_NAME))
}

/// The library or program this code is in.
fn own_file() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address of this process, and a place for the answer, which is read only where there is one;
    // the name lives as long as the library that runs this code.
    let name = unsafe {
        if libc::dladdr(own_file as *const c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        let info = info.assume_init();
        if info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname)
    };
    Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_was_cut_short_is_refused_and_not_opened() {
        // Any shared object will do: the system's own, cut at every kind of place.
        let own = std::env::current_exe().expect("a test has a path");
        whole(&own).expect("this program is whole");
        let bytes = std::fs::read(&own).expect("read");
        let folder = std::env::temp_dir().join(format!("ballast-cut-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("cut.so");
        for length in [0, 3, 63, 64, 4096, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).expect("written");
            let Err(LearnerError::Open(reason)) = Learner::open(Some(&path)) else {
                panic!("{length} bytes were opened")
            };
            assert!(
                reason.contains("cut short") || reason.contains("no shared object"),
                "{length}: {reason}"
            );
        }
        std::fs::write(&path, "#!/bin/sh\n".repeat(20)).expect("written");
        assert!(whole(&path).is_err_and(|reason| reason.contains("no shared object")));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
