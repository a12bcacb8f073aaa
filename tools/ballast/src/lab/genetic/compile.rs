//! Placements of a program as shared objects, one per rank: lowered by the MPI route, every op compiled once.
//!
//! A rank's program calls its ops as kernels (`--ballast-kernels`), which lie in libraries of their own. Another placement brings another
//! order of calls and messages, and rarely a kernel that no library has: what is compiled for it is short.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ballast_core::device::DeviceId;
use ballast_core::graph::Graph;
use ballast_partition::Given;

use crate::failure::Failure;
use crate::output::{read_text, write_json};
use crate::run::tools::{beside, capture, llvm};

/// Seconds one program of the tool chain may take where the search has no limit.
pub(super) const LONGEST_STEP: Duration = Duration::from_secs(600);
/// What the names of kernels begin with.
const KERNEL: &str = "@ballast_kernel_";

/// A program to be placed, as the user gave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub program: &'a Path,
    pub graph: &'a Graph,
    /// Devices as options of the passes take them.
    pub devices: &'a str,
    pub ranks: usize,
    pub function: &'a str,
    pub profile: Option<&'a Path>,
    /// Seed of the arguments.
    pub seed: u64,
}

impl Source<'_> {
    /// Writes the program with a placement as attributes and a plan that keeps every value.
    fn annotate(
        &self,
        device_of: &[DeviceId],
        folder: &Path,
        planned: &Path,
        limit: Duration,
    ) -> Result<(), Failure> {
        let file = folder.join("placement.json");
        write_json(&Given::new(self.graph, device_of), Some(&file))?;
        let mut pass = format!(
            "--rl-partition=devices='{}' function='{}' placement-file='{}'",
            self.devices,
            self.function,
            file.display()
        );
        if let Some(profile) = self.profile {
            pass += &format!(" profile='{}'", profile.display());
        }
        let mut command = self.opt(self.program)?;
        command.arg(pass).arg("-o").arg(planned);
        capture(&mut command, &self.program.display().to_string(), limit).map(|_| ())
    }

    fn opt(&self, program: &Path) -> Result<Command, Failure> {
        let mut command = Command::new(beside("ballast-opt")?);
        command.arg(program).arg("--allow-unregistered-dialect");
        Ok(command)
    }
}

/// What was compiled, and how long it took.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub(super) struct Effort {
    /// Placements.
    pub placements: usize,
    /// Seconds they took, kernels included.
    pub seconds: f64,
    /// Kernels.
    pub kernels: usize,
    /// Of the seconds, those of the kernels.
    pub kernel_seconds: f64,
}

/// Compiles placements of one program.
pub(super) struct Compiler<'a> {
    source: Source<'a>,
    folder: tempfile::TempDir,
    /// Of the run-time library and MPI, which all objects are linked with.
    libraries: Vec<PathBuf>,
    known: BTreeSet<String>,
    pub(super) effort: Effort,
    threads: usize,
}

impl<'a> Compiler<'a> {
    /// In a temporary folder of its own, on so many threads.
    ///
    /// # Errors
    /// A folder that cannot be made, a missing library.
    pub(super) fn new(source: Source<'a>, mpi: PathBuf, threads: usize) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(no_folder)?;
        let libraries = vec![beside("libballast_runtime.so")?, mpi];
        let known = BTreeSet::new();
        Ok(Compiler { source, folder, libraries, known, effort: Effort::default(), threads: threads.max(1) })
    }

    /// Where placements lie, each in a folder with its number.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Processes of a placement.
    pub(super) fn ranks(&self) -> usize {
        self.source.ranks
    }

    /// The program with a placement as attributes.
    pub(super) fn planned(&self, number: usize) -> PathBuf {
        self.folder().join(number.to_string()).join("planned.mlir")
    }

    /// The folder of a rank of a placement.
    pub(super) fn rank(&self, number: usize, rank: usize) -> PathBuf {
        self.folder().join(number.to_string()).join(format!("rank{rank}"))
    }

    /// Compiles a placement of all ops; its number. One step may take as long as `limit`.
    ///
    /// # Errors
    /// What the passes, LLVM or the linker say; a step that takes too long.
    pub(super) fn compile(&mut self, device_of: &[DeviceId], limit: Duration) -> Result<usize, Failure> {
        let start = Instant::now();
        let number = self.effort.placements;
        let folder = self.folder().join(number.to_string());
        let ranks: Vec<PathBuf> = (0..self.ranks()).map(|rank| self.rank(number, rank)).collect();
        ranks.iter().try_for_each(std::fs::create_dir_all).map_err(no_folder)?;
        let planned = self.planned(number);
        self.source.annotate(device_of, &folder, &planned, limit)?;
        let cut = folder.join("cut.mlir");
        let function = format!("function='{}'", self.source.function);
        let mut command = self.source.opt(&planned)?;
        command.args([format!("--ballast-apply={function}"), format!("--ballast-outline={function}")]);
        capture(command.arg("-o").arg(&cut), &self.source.program.display().to_string(), limit)?;
        let called = self.on_ranks(&ranks, |rank, folder| self.lower(&cut, rank, folder, limit))?;
        for (rank, names) in called.into_iter().enumerate() {
            let missing: Vec<String> = names.into_iter().filter(|name| !self.known.contains(name)).collect();
            if !missing.is_empty() {
                self.kernels(&cut, rank, &ranks[rank], missing, limit)?;
            }
        }
        self.on_ranks(&ranks, |_, folder| self.link(folder, limit))?;
        std::fs::remove_file(cut).map_err(no_folder)?;
        self.effort.placements += 1;
        self.effort.seconds += start.elapsed().as_secs_f64();
        Ok(number)
    }

    fn on_ranks<T: Send>(
        &self,
        ranks: &[PathBuf],
        work: impl Fn(usize, &Path) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let mut done = Vec::with_capacity(ranks.len());
        for (part, folders) in ranks.chunks(self.threads).enumerate() {
            let first = part * self.threads;
            let results: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = folders
                    .iter()
                    .enumerate()
                    .map(|(index, folder)| {
                        let work = &work;
                        scope.spawn(move || work(first + index, folder))
                    })
                    .collect();
                threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
            });
            for result in results {
                done.push(result.map_err(|_| Failure::Internal("a thread that compiles panicked".into()))??);
            }
        }
        Ok(done)
    }

    /// The program of a rank as LLVM's IR; the kernels it calls.
    fn lower(&self, cut: &Path, rank: usize, folder: &Path, limit: Duration) -> Result<Vec<String>, Failure> {
        let options = format!("entry=true attached=true kernels=program seed={}", self.source.seed);
        let text = read_text(&self.translate(cut, rank, &options, folder, "program", limit)?)?;
        let declared = text.lines().filter(|line| line.starts_with("declare "));
        Ok(declared.filter_map(kernel_name).map(str::to_owned).collect())
    }

    fn translate(
        &self,
        cut: &Path,
        rank: usize,
        options: &str,
        folder: &Path,
        name: &str,
        limit: Duration,
    ) -> Result<PathBuf, Failure> {
        let what = format!("{}, rank {rank}", self.source.program.display());
        let (lowered, text) = (folder.join("lowered.mlir"), folder.join(format!("{name}.ll")));
        let pipeline = format!("--ballast-to-mpi=rank={rank} function='{}' {options}", self.source.function);
        capture(self.source.opt(cut)?.arg(pipeline).arg("-o").arg(&lowered), &what, limit)?;
        let mut command = Command::new(llvm("mlir-translate"));
        capture(command.arg("--mlir-to-llvmir").arg(&lowered).arg("-o").arg(&text), &what, limit)?;
        std::fs::remove_file(lowered).map_err(no_folder)?;
        Ok(text)
    }

    /// Compiles kernels of a rank's program that no library has yet.
    fn kernels(
        &mut self,
        cut: &Path,
        rank: usize,
        folder: &Path,
        missing: Vec<String>,
        limit: Duration,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        let what = format!("{}, kernels of rank {rank}", self.source.program.display());
        let text = self.translate(cut, rank, "kernels=kernels", folder, "kernels", limit)?;
        let chosen = folder.join("chosen.ll");
        let mut extract = Command::new(llvm("llvm-extract"));
        extract.arg("-S").arg(&text).arg("-o").arg(&chosen);
        extract.args(missing.iter().map(|name| format!("--func={name}")));
        capture(&mut extract, &what, limit)?;
        let library = self.folder().join(format!("kernels{}.so", self.libraries.len()));
        // As `mlir-runner -O3` compiles: for this machine, and nothing contracted, so that results have the same bits.
        let mut command = self.clang(&["-O3", "-march=native", "-ffp-contract=off"], &chosen);
        capture(command.arg("-o").arg(&library), &what, limit)?;
        [text, chosen].iter().try_for_each(std::fs::remove_file).map_err(no_folder)?;
        self.libraries.push(library);
        self.effort.kernels += missing.len();
        self.effort.kernel_seconds += start.elapsed().as_secs_f64();
        self.known.extend(missing);
        Ok(())
    }

    /// From a rank's LLVM IR to a shared object.
    fn link(&self, folder: &Path, limit: Duration) -> Result<(), Failure> {
        let text = folder.join("program.ll");
        let mut command = self.clang(&["-O1"], &text);
        command.arg("-o").arg(folder.join("program.so"));
        capture(&mut command, &self.source.program.display().to_string(), limit)?;
        std::fs::remove_file(text).map_err(no_folder)
    }

    /// Makes a shared object of LLVM IR, which finds the libraries so far.
    fn clang(&self, how: &[&str], text: &Path) -> Command {
        let mut command = Command::new(llvm("clang"));
        command.args(["-Wno-override-module", "-shared", "-fPIC"]).args(how).arg(text).args(&self.libraries);
        // Libraries are looked for by their own names, which need no path.
        for folder in self.libraries.iter().filter_map(|library| library.parent()) {
            command.arg(format!("-Wl,-rpath,{}", folder.display()));
        }
        command.arg("-lm");
        command
    }
}

/// The kernel that a line of LLVM IR declares.
fn kernel_name(line: &str) -> Option<&str> {
    let name = &line[line.find(KERNEL)? + 1..];
    name.split('(').next()
}

fn no_folder(error: std::io::Error) -> Failure {
    Failure::BadInput(format!("a temporary folder cannot be used: {error}"))
}

#[cfg(test)]
mod tests {
    use super::kernel_name;

    #[test]
    fn kernels_are_found_in_declarations() {
        assert_eq!(kernel_name("declare void @ballast_kernel_12ab(ptr, i64)"), Some("ballast_kernel_12ab"));
        assert_eq!(kernel_name("declare void @MPI_Send(ptr)"), None);
    }
}
