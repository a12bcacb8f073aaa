//! Files: read whole and up to a limit, written whole or not at all.
//!
//! Programs and passes read and write files through here alone. Reading is bounded, so that an endless file ends in an error and not
//! when memory does. A regular file is written beside its target and renamed: whoever looks finds the old file or the new one,
//! whole. It keeps the mode of the file that was there; a new one gets what the umask leaves. Links are followed. Terminals, pipes
//! and other character devices cannot be renamed over: they are written to.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::units::Bytes;

/// Most bytes of a file that is read. The graph of a program of a million ops has some hundreds of MB.
pub const LARGEST_INPUT: Bytes = Bytes(2 << 30);
/// Most bytes read from what has no size, such as a pipe or a device.
pub const LARGEST_STREAM: Bytes = Bytes(128 << 20);
/// Links followed one after the other, as many as the system follows.
const MOST_LINKS: usize = 40;

/// A file of a known form that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {message}")]
pub struct FileError {
    /// The file, with line and column where they are known.
    pub origin: String,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl FileError {
    /// At a file as a whole.
    pub(crate) fn at(origin: &str, message: String) -> Self {
        FileError { origin: origin.to_owned(), message }
    }
}

/// The text of a file, named in messages by its kind, such as "profile".
pub(crate) fn text_of(path: &Path, kind: &str) -> Result<String, FileError> {
    read_text(path).map_err(|error| {
        FileError::at(&path.display().to_string(), format!("the {kind} cannot be read: {error}"))
    })
}

/// What JSON says, named in messages by the kind of file.
pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(
    origin: &str,
    text: &str,
    kind: &str,
) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|error| FileError {
        origin: format!("{origin}:{}:{}", error.line(), error.column()),
        message: format!("not a {kind}: {error}"),
    })
}

/// Reads a file.
///
/// # Errors
/// What the system says; a folder; more bytes than [`LARGEST_INPUT`], or [`LARGEST_STREAM`] where the size is not known before.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_open(File::open(path)?)
}

/// Reads the rest of an open file.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: File) -> io::Result<Vec<u8>> {
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let limit = if about.is_file() { LARGEST_INPUT } else { LARGEST_STREAM };
    read_at_most(file, about.len(), limit)
}

/// Reads a text file.
///
/// # Errors
/// As [`read`]; bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let text = format!("not a text file: byte {} is not UTF-8", error.utf8_error().valid_up_to());
        io::Error::new(io::ErrorKind::InvalidData, text)
    })
}

fn read_at_most(source: impl Read, expected: u64, limit: Bytes) -> io::Result<Vec<u8>> {
    let too_large = || {
        let text = format!("larger than {limit}, the most that is read");
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    if expected > limit.0 {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX))
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    source.take(limit.0 + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit.0 { Err(too_large()) } else { Ok(bytes) }
}

/// Puts `bytes` at `path`: all of them, or none where it is a regular file.
///
/// # Errors
/// What the system says; a target that cannot be written to.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(bytes)?;
    output.finish()
}

/// As [`write()`], for a writer that opens files by name and goes by their ending: it gets the name of a file that is empty, and what it
/// left there is put at `path`. `ending` is used where the path has none.
///
/// # Errors
/// What the writer says, and as [`write()`].
pub fn write_by_name<E: From<io::Error>>(
    path: &Path,
    ending: &str,
    writer: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let mut output = Output::create(path)?;
    let ending = path.extension().map_or_else(|| ending.into(), |ending| ending.to_string_lossy());
    let own = tempfile::Builder::new().suffix(&format!(".{ending}")).tempfile()?;
    writer(own.path())?;
    // Opened anew: the writer may have put another file there.
    io::copy(&mut File::open(own.path())?, &mut output)?;
    Ok(output.finish()?)
}

/// Can a file be put at `path`? Asked before a long search, whose answer would be lost. What is there stays as it is.
///
/// # Errors
/// Why not.
pub fn check_target(path: &Path) -> io::Result<()> {
    match Target::of(path)? {
        Target::Stream(_) => Ok(()),
        target => Output::open(target).map(|_| ()),
    }
}

/// What tells a regular file from every other, under whatever name it goes, whether it is there or is yet to be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Device and number of a file that is there.
    There(u64, u64),
    /// Folder and name of one that is not.
    New(PathBuf, OsString),
}

/// The regular file a path leads to; none: something else, which loses nothing when two write to it.
#[must_use]
pub fn identity(path: &Path) -> Option<Identity> {
    let (Target::File(path) | Target::New(path)) = Target::of(path).ok()? else { return None };
    match std::fs::metadata(&path) {
        Ok(about) => Some(Identity::There(about.dev(), about.ino())),
        Err(_) => Some(Identity::New(folder(&path).canonicalize().ok()?, path.file_name()?.to_owned())),
    }
}

/// Do both paths lead to one regular file?
#[must_use]
pub fn same(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// What a path leads to, links followed.
#[derive(Clone, Debug)]
enum Target {
    /// A regular file.
    File(PathBuf),
    /// Nothing yet.
    New(PathBuf),
    /// What is written to as it is.
    Stream(PathBuf),
}

impl Target {
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            let about = match path.symlink_metadata() {
                Ok(about) => about,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Target::New(path)),
                Err(error) => return Err(error),
            };
            let kind = about.file_type();
            if kind.is_symlink() {
                // Such as /dev/stdout: what is open already, which a new file of that name would not be.
                if folder(&path).canonicalize()?.starts_with("/proc") {
                    return Ok(Target::Stream(path));
                }
                path = folder(&path).join(std::fs::read_link(&path)?);
            } else if kind.is_file() {
                return Ok(Target::File(path));
            } else if kind.is_fifo() || kind.is_char_device() {
                return Ok(Target::Stream(path));
            } else {
                let what = if kind.is_dir() {
                    "a folder"
                } else if kind.is_block_device() {
                    "a disk"
                } else {
                    "a socket"
                };
                let text = format!("it is {what}, not a file");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link that leads to itself"))
    }
}

/// The folder a path is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file being written: there once [`Output::finish`] says so. Dropped before that it leaves what was there.
#[derive(Debug)]
pub struct Output(Destination);

#[derive(Debug)]
enum Destination {
    File { partial: NamedTempFile, target: PathBuf },
    Stream(File),
}

impl Output {
    /// Begins a file.
    ///
    /// # Errors
    /// What the system says; a target that cannot be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::open(Target::of(path)?)
    }

    fn open(target: Target) -> io::Result<Self> {
        let (target, before) = match target {
            Target::Stream(path) => {
                let file = OpenOptions::new().append(true).open(path)?;
                return Ok(Output(Destination::Stream(file)));
            }
            Target::New(path) => (path, None),
            Target::File(path) => {
                // A file that may not be written to may not be replaced either.
                let about = OpenOptions::new().append(true).open(&path)?.metadata()?;
                (path, Some(about))
            }
        };
        if target.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
        }
        // A folder that is missing is said to be as the system does.
        folder(&target).metadata()?;
        // In the same folder, so that the rename does not cross file systems; with the ending, by which some writers go.
        let ending = target.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        let partial = tempfile::Builder::new()
            .prefix(".ballast-")
            .suffix(ending.as_deref().unwrap_or_default())
            // What the umask forbids is taken off.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder(&target))
            .map_err(|error| io::Error::new(error.kind(), plain(&error)))?;
        if let Some(before) = before {
            let (file, own) = (partial.as_file(), partial.as_file().metadata()?);
            if (own.uid(), own.gid()) != (before.uid(), before.gid()) {
                // Only root may give files away; others own what they write.
                let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
            }
            file.set_permissions(Permissions::from_mode(before.mode() & 0o777))?;
        }
        Ok(Output(Destination::File { partial, target }))
    }

    /// For a writer that opens files by name: the file to write, in place of the target. None for what is no regular file.
    #[must_use]
    pub fn partial(&self) -> Option<&Path> {
        match &self.0 {
            Destination::File { partial, .. } => Some(partial.path()),
            Destination::Stream(_) => None,
        }
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// What the system says; what was there before is still there then.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Destination::Stream(mut file) => file.flush(),
            Destination::File { partial, target } => {
                // Some file systems find out only now that there is no room.
                partial.as_file().sync_data()?;
                partial.persist(target).map(|_| ()).map_err(|error| error.error)
            }
        }
    }
}

/// For a writer that takes file descriptors.
impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Destination::File { partial, .. } => partial.as_file().as_fd(),
            Destination::Stream(file) => file.as_fd(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Destination::File { partial, .. } => partial.as_file_mut().write(bytes),
            Destination::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Destination::File { partial, .. } => partial.as_file_mut().flush(),
            Destination::Stream(file) => file.flush(),
        }
    }
}

/// Without the name of the partial file, which nobody asked for.
fn plain(error: &io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().to_string(), |code| io::Error::from_raw_os_error(code).to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("there").mode() & 0o777
    }

    /// The names in a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_gets_the_mode_that_others_get_and_an_old_one_keeps_its_own() {
        let folder = folder();
        let (new, other) = (folder.path().join("new.json"), folder.path().join("other"));
        File::create(&other).expect("made");
        write(&new, b"1").expect("written");
        assert_eq!(mode(&new), mode(&other));
        std::fs::set_permissions(&new, Permissions::from_mode(0o640)).expect("set");
        write(&new, b"22").expect("written");
        assert_eq!((mode(&new), std::fs::read(&new).expect("read")), (0o640, b"22".to_vec()));
        assert_eq!(names(folder.path()), ["new.json", "other"]);
    }

    #[test]
    fn links_are_followed_also_one_that_leads_nowhere_yet() {
        let folder = folder();
        let (file, link, far) =
            (folder.path().join("file"), folder.path().join("link"), folder.path().join("far"));
        symlink("link", &far).expect("linked");
        symlink("file", &link).expect("linked");
        write(&far, b"first").expect("written");
        assert_eq!(std::fs::read(&file).expect("read"), b"first");
        write(&link, b"second").expect("written");
        assert!(link.is_symlink() && far.is_symlink() && !file.is_symlink());
        assert_eq!(std::fs::read(&file).expect("read"), b"second");
        let circle = folder.path().join("circle");
        symlink("circle", &circle).expect("linked");
        assert!(write(&circle, b"").is_err());
    }

    #[test]
    fn pipes_and_devices_are_written_to_and_stay_what_they_are() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).expect("read")
        });
        write(&pipe, b"through").expect("written");
        assert_eq!(reader.join().expect("read"), b"through");
        assert!(pipe.symlink_metadata().expect("there").file_type().is_fifo());
        // A private twin of /dev/full, where the system lets us make one: every write fails, and it is seen.
        let full = folder.path().join("full");
        let made = Command::new("mknod").arg(&full).args(["c", "1", "7"]).output().expect("mknod");
        if made.status.success() && OpenOptions::new().append(true).open(&full).is_ok() {
            let error = write(&full, b"lost").expect_err("a full device");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert!(full.symlink_metadata().expect("there").file_type().is_char_device());
        }
        assert!(write(folder.path(), b"").is_err_and(|error| error.to_string().contains("a folder")));
    }

    #[test]
    fn what_is_not_finished_leaves_what_was_there_and_nothing_else() {
        let folder = folder();
        let path = folder.path().join("plan.lp");
        write(&path, b"old").expect("written");
        let mut output = Output::create(&path).expect("begun");
        output.write_all(b"half").expect("written");
        assert_eq!(output.partial().and_then(Path::extension).and_then(|ending| ending.to_str()), Some("lp"));
        drop(output);
        check_target(&path).expect("can be written");
        assert_eq!(
            (std::fs::read(&path).expect("read"), names(folder.path())),
            (b"old".to_vec(), vec!["plan.lp".into()])
        );
        check_target(&folder.path().join("new")).expect("can be written");
        assert_eq!(names(folder.path()), ["plan.lp"]);
        let nowhere = folder.path().join("nowhere/plan");
        let error = check_target(&nowhere).expect_err("no such folder");
        let said = error.to_string();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(said.contains("No such file or directory") && !said.contains(".ballast-"), "{said}");
    }

    #[test]
    fn a_writer_by_name_gets_the_ending_and_its_failure_leaves_nothing() {
        let folder = folder();
        let path = folder.path().join("model.mps");
        let mut named = PathBuf::new();
        write_by_name(&path, "lp", |file| {
            named = file.to_owned();
            std::fs::write(file, b"rows")
        })
        .expect("written");
        assert_eq!(
            (named.extension(), std::fs::read(&path).expect("read")),
            (path.extension(), b"rows".to_vec())
        );
        assert!(write_by_name(&path, "lp", |_| Err(io::Error::other("no"))).is_err());
        assert_eq!(
            (std::fs::read(&path).expect("read"), names(folder.path())),
            (b"rows".to_vec(), vec!["model.mps".into()])
        );
    }

    #[test]
    fn one_file_is_known_under_all_its_names() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        write(&at("file"), b"").expect("written");
        symlink(at("file"), at("link")).expect("linked");
        std::fs::hard_link(at("file"), at("twin")).expect("linked");
        symlink("new", at("to-new")).expect("linked");
        for (one, other, alike) in [
            ("file", "link", true),
            ("file", "twin", true),
            ("file", "./file", true),
            ("new", "./new", true),
            ("new", "to-new", true),
            ("file", "new", false),
        ] {
            assert_eq!(same(&at(one), &at(other)), alike, "{one} {other}");
        }
        // A device takes whatever comes: nothing is lost when two write to it.
        assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
    }

    #[test]
    fn endless_and_too_large_files_are_refused_after_a_bounded_read() {
        let endless = read(Path::new("/dev/zero")).expect_err("endless");
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_at_most(&b"12345"[..], 5, Bytes(5)).expect("read"), b"12345");
        assert!(read_at_most(&b"123456"[..], 0, Bytes(5)).is_err());
        assert!(read_at_most(&b""[..], 6, Bytes(5)).is_err());
        assert!(read(Path::new("/")).is_err_and(|error| error.kind() == io::ErrorKind::IsADirectory));
        let folder = folder();
        let binary = folder.path().join("binary");
        write(&binary, b"ab\xff").expect("written");
        assert!(read_text(&binary).is_err_and(|error| error.to_string().contains("byte 2")));
    }
}
