//! `ballast program-rank`: one of the processes that run the placements of a compiled program.
//!
//! The first rank reads the number of a placement a line from standard input, and tells all others. Every rank opens its shared object of that
//! placement, unless it is the one that ran before, and calls its entry, which leaves results and figures in the rank's folder. When all are
//! through, the first rank answers. The processes end with the input.

use std::error::Error as _;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use libloading::Library;

use super::mpi::World;
use crate::failure::Failure;
use crate::output::print;

/// Arguments of `ballast program-rank`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of placements, one folder for each number.
    placements: PathBuf,
    /// The run-time library of compiled programs.
    #[arg(long)]
    runtime: PathBuf,
    /// Open MPI's library.
    #[arg(long)]
    library: PathBuf,
}

/// Tells all ranks to end.
const END: f32 = -1.0;

/// Runs until the input ends.
///
/// # Errors
/// Objects that cannot be opened, a line that is no number, or what MPI says.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let world = World::start(&args.library)?;
    // Held open, so that every placement finds the same heaps.
    let runtime = open(&args.runtime)?;
    let mut rank = Rank { world, runtime, placements: &args.placements, current: None };
    if rank.world.rank == 0 {
        rank.lead()?;
    } else {
        rank.follow()?;
    }
    rank.world.end()
}

struct Rank<'a> {
    world: World,
    runtime: Library,
    placements: &'a Path,
    /// The placement that ran last.
    current: Option<(f32, Library)>,
}

impl Rank<'_> {
    fn lead(&mut self) -> Result<(), Failure> {
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|error| Failure::BadInput(format!("standard input: {error}")))?;
            let number: u16 =
                line.trim().parse().map_err(|_| Failure::BadInput(format!("'{line}' is no placement")))?;
            self.tell(f32::from(number))?;
            let start = Instant::now();
            self.placement(f32::from(number))?;
            self.world.meet()?;
            print(&format!("{}\n", start.elapsed().as_secs_f64()))?;
        }
        self.tell(END)
    }

    fn tell(&self, number: f32) -> Result<(), Failure> {
        (1..self.world.ranks).try_for_each(|rank| self.world.send(&[number], rank))
    }

    fn follow(&mut self) -> Result<(), Failure> {
        let mut number = [0.0];
        loop {
            self.world.receive(&mut number, 0)?;
            if number[0] == END {
                return Ok(());
            }
            self.placement(number[0])?;
            self.world.meet()?;
        }
    }

    /// Runs this rank's part of a placement, in its folder.
    fn placement(&mut self, number: f32) -> Result<(), Failure> {
        let folder = self.placements.join(format!("{number}")).join(format!("rank{}", self.world.rank));
        std::env::set_current_dir(&folder)
            .map_err(|error| Failure::BadInput(format!("{}: {error}", folder.display())))?;
        if self.current.as_ref().is_none_or(|(current, _)| *current != number) {
            // The new one first: kernels that both need stay where they are.
            let opened = open(&folder.join("program.so"))?;
            self.current = Some((number, opened));
        }
        let Some((_, program)) = &self.current else { return Ok(()) };
        call(&self.runtime, "ballast_renew")?;
        call(program, "ballast_entry")
    }
}

fn open(path: &Path) -> Result<Library, Failure> {
    // SAFETY: what is opened was compiled by this program's parent, or is built beside it; its initialisers do nothing.
    unsafe { Library::new(path) }.map_err(|error| {
        let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Failure::BadInput(format!("{}: cannot be opened: {reason}", path.display()))
    })
}

fn call(library: &Library, name: &str) -> Result<(), Failure> {
    // SAFETY: both functions that are called by this name take and return nothing.
    let function = unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }
        .map_err(|error| Failure::Internal(format!("no {name}: {error}")))?;
    // SAFETY: as above; MPI is started, which is all the entry of an attached program needs.
    unsafe { function() };
    Ok(())
}
