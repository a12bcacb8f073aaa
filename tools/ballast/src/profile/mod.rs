//! `ballast profile`: times the ops of a program on the machine at hand, and copies to the host, for the cost model.

mod copies;
mod native;
mod xla;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ballast_core::profile::{KindProfile, MeasuredLink, Measurement, Profile};
use indexmap::IndexMap;

use crate::failure::Failure;
use crate::output::{check, read_text, write_json};
use crate::ranges::{count, seconds};
use crate::run::Job;

/// Who runs the ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Backend {
    /// MLIR's own CPU route: linalg programs.
    Native,
    /// XLA, through jaxlib: StableHLO programs.
    Xla,
}

/// Seconds of every run of every distinct op, by op key.
type Times = Vec<(String, Vec<f64>)>;
/// To the host, and back.
type Links = (MeasuredLink, MeasuredLink);

/// Arguments of `ballast profile`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program whose ops are timed, each distinct one once.
    model: PathBuf,
    /// Who runs them.
    #[arg(long, value_enum)]
    backend: Backend,
    /// Where the profile goes.
    #[arg(short, long)]
    output: PathBuf,
    /// Kind of device the times are for: a name of the device file to plan with.
    #[arg(long, default_value = "cpu")]
    kind: String,
    /// Function to take the ops of; without it the only public function, or `main`.
    #[arg(long, default_value = "")]
    function: String,
    /// Timed runs of every op; 1 to 10000.
    #[arg(long, value_parser = count::<u32, 1, 10_000>, default_value_t = 5)]
    runs: u32,
    /// Runs of every op before the timed ones; 0 to 10000.
    #[arg(long, value_parser = count::<u32, 0, 10_000>, default_value_t = 1)]
    warm_up: u32,
    /// Seed of the arguments.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds that compiling the ops, and running them, may take each; above zero, at most 1e9.
    #[arg(long, value_parser = seconds, default_value_t = 600.0)]
    time_limit: f64,
    /// Where XLA runs the ops: cpu, gpu or tpu, as the jaxlib at hand knows them.
    #[arg(long, default_value = "cpu")]
    platform: String,
    /// Python with jaxlib (xla only).
    #[arg(long, default_value = "python3")]
    python: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// A missing tool, ops that do not compile or run, a profile that cannot be written.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    check([args.model.as_path()], [args.output.as_path()])?;
    let limit = Duration::from_secs_f64(args.time_limit);
    let runs = args.runs + args.warm_up;
    let job = Job { function: &args.function, seed: args.seed, runs, limit };
    let bar = if std::io::stderr().is_terminal() {
        indicatif::ProgressBar::new_spinner()
    } else {
        indicatif::ProgressBar::hidden()
    };
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.set_message("timing every op");
    let (times, links) = match args.backend {
        Backend::Native => (native::times(&args.model, &job)?, None),
        Backend::Xla => xla::times(args, &job)?,
    };
    bar.set_message("timing copies to the host");
    let (to_host, from_host) = links.unwrap_or_else(copies::measure);
    bar.finish_and_clear();
    let warm_up = args.warm_up as usize;
    let ops = times.into_iter().map(|(key, seconds)| (key, statistics(&seconds[warm_up..]))).collect();
    let kind = KindProfile { ops, to_host: Some(to_host), from_host: Some(from_host) };
    let profile = Profile { kinds: IndexMap::from([(args.kind.clone(), kind)]), ..Profile::default() };
    write_json(&profile, Some(&args.output))
}

/// The option that writes one function per distinct op, and the file that will have their keys.
fn split_ops(folder: &Path, job: &Job<'_>) -> (String, PathBuf) {
    let keys = folder.join("keys.json");
    (format!("--ballast-split-ops=function='{}' keys-file='{}'", job.function, keys.display()), keys)
}

/// The keys, in order of the functions.
fn read_keys(file: &Path, what: &str) -> Result<Vec<String>, Failure> {
    serde_json::from_str(&read_text(file)?)
        .map_err(|error| Failure::Internal(format!("{what}: keys.json: {error}")))
}

/// Mean and standard deviation of a sample (with n - 1; 0 for a single run).
fn statistics(seconds: &[f64]) -> Measurement {
    let count = seconds.len() as f64;
    let mean = seconds.iter().sum::<f64>() / count;
    let squares: f64 = seconds.iter().map(|x| (x - mean).powi(2)).sum();
    let spread_seconds = if seconds.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
    let runs = u32::try_from(seconds.len()).unwrap_or(u32::MAX);
    Measurement { seconds: mean, spread_seconds, runs }
}

#[cfg(test)]
mod tests {
    use super::statistics;

    #[test]
    fn mean_and_spread_are_those_of_the_sample() {
        let three = statistics(&[1.0, 2.0, 3.0]);
        assert_eq!((three.seconds, three.spread_seconds, three.runs), (2.0, 1.0, 3));
        let one = statistics(&[0.5]);
        assert_eq!((one.seconds, one.spread_seconds, one.runs), (0.5, 0.0, 1));
    }
}
