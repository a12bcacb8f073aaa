//! `ballast lab place-serve`: the door for engines that run training jobs. Events come in on standard input, a line each; what follows from
//! each is kept in a journal before it is answered, so that a placer that was killed goes on where it was.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use ballast_jobs::{Dispatcher, Entry, JobCluster, JobError, Message, Placer};
use serde::Serialize;

use crate::failure::{Failure, note};
use crate::lab::place::Chooser;
use crate::output::{check, paths, read_bytes, read_text, to_stdout};

/// Arguments of `ballast lab place-serve`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Cluster file (JSON): devices and their state before the first event.
    cluster: PathBuf,
    #[command(flatten)]
    chooser: Chooser,
    /// Draw devices by the policy's probabilities instead of taking the most probable, to learn from what comes of it.
    #[arg(long)]
    explore: bool,
    /// Journal of events and answers. One that is there is gone through, and carried on.
    #[arg(long)]
    journal: PathBuf,
}

/// An event that was refused; nothing was changed.
#[derive(Serialize)]
struct Refused {
    error: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.chooser.check()?;
    let cluster = JobCluster::parse(&read_text(&args.cluster)?)
        .map_err(|error| Failure::in_file(&args.cluster, error))?;
    let inputs = [args.cluster.as_path()].into_iter().chain(paths(&args.chooser.network));
    check(inputs, [args.journal.as_path()])?;
    let mut dispatcher = Dispatcher::new(cluster.clone());
    let mut journal = Journal::open(&args.journal, &mut dispatcher)?;
    let mut source = args.chooser.source(args.explore);
    // Other draws than before the restart.
    source.seed = source.seed.wrapping_add(dispatcher.last_id());
    let served = args
        .chooser
        .method()
        .with_placer(&cluster, &source, |placer| Ok(serve(&mut dispatcher, &mut journal, placer)));
    served?
}

/// Answers events until there are no more.
fn serve(
    dispatcher: &mut Dispatcher,
    journal: &mut Journal<'_>,
    placer: &mut dyn Placer,
) -> Result<(), Failure> {
    for line in std::io::stdin().lock().split(b'\n') {
        let line =
            line.map_err(|error| Failure::BadInput(format!("standard input cannot be read: {error}")))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let last = dispatcher.last_id();
        let taken = serde_json::from_slice::<Message>(&line)
            .map_err(|error| JobError::Input(format!("not an event: {error}")))
            .and_then(|message| dispatcher.take(&message, placer).map(|answer| (message, answer)));
        match taken {
            Ok((message, answer)) => {
                if message.id > last {
                    journal.keep(&Entry::new(message, &answer))?;
                }
                to_stdout(&json_line(&answer)?)?;
            }
            Err(JobError::Input(error)) => to_stdout(&json_line(&Refused { error })?)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn json_line(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::Internal(format!("the answer is no JSON: {error}")))?;
    Ok(text + "\n")
}

/// How a line of the journal begins.
const ENTRY: &[u8] = b"{\"message\":{\"id\":";

/// The file of events and answers.
struct Journal<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Journal<'a> {
    /// Opens it, and brings the dispatcher to where it ends. A last line without an end was being written when the placer was killed: it was
    /// not answered, and is taken away.
    fn open(path: &'a Path, dispatcher: &mut Dispatcher) -> Result<Self, Failure> {
        let refuse =
            |reason: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {reason}", path.display()));
        let bytes = if path.exists() { read_bytes(path)? } else { Vec::new() };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let (lines, cut) = bytes.split_at(whole);
        // What no placer began is not a placer's to take away.
        if !ENTRY.starts_with(cut) && !cut.starts_with(ENTRY) {
            return Err(refuse(&"its last line is none of a placer's journal: give another file"));
        }
        for (number, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let at_line = |reason: String| refuse(&format!("line {}: {reason}", number + 1));
            let entry = serde_json::from_slice(line)
                .map_err(|error| at_line(format!("not a line of a placer's journal: {error}")))?;
            dispatcher.replay(entry).map_err(|error| at_line(error.to_string()))?;
        }
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(|error| refuse(&error))?;
        if !cut.is_empty() {
            note(&format!("{}: the last line was cut short and is taken away", path.display()));
            file.set_len(whole as u64).map_err(|error| refuse(&error))?;
        }
        Ok(Journal { path, file })
    }

    fn keep(&mut self, entry: &Entry) -> Result<(), Failure> {
        let line = json_line(entry)?;
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Failure::BadInput(format!("{}: {error}", self.path.display())))
    }
}
