//! `ballast lab bench rl-curve`: how the RL partitioner learns, episode by episode, in the published setting and in ours.

use std::fmt::Write as _;

use ballast_core::limits::interrupted;
use ballast_partition::rl::comparison::{Case, learning_curve};
use ballast_partition::rl::train::{Episode, Options, Setting};
use comfy_table::Table;

use crate::failure::Failure;
use crate::output;
use crate::output::paths;
use crate::ranges::{count, step_size};
use crate::search_args::DrawnChains;
use crate::tables;

/// Arguments of `ballast lab bench rl-curve`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layers of the generated chains; 1 to 1000.
    #[arg(long, value_parser = count::<usize, 1, 1000>, value_delimiter = ',', default_values_t = [20, 50])]
    layers: Vec<usize>,
    /// Cores of the chips; 2 to 1024.
    #[arg(long, value_parser = count::<usize, 2, 1024>, value_delimiter = ',', default_values_t = [8, 16])]
    cores: Vec<usize>,
    /// Episodes of a run, one update each; 1 to 1000000.
    #[arg(long, value_parser = count::<usize, 1, 1_000_000>, default_value_t = 1000)]
    episodes: usize,
    /// Steps of an episode; without it four times the layers and cores, at least 64; 1 to 1000000.
    #[arg(long, value_parser = count::<usize, 1, 1_000_000>)]
    max_steps: Option<usize>,
    /// Step size of the optimiser; above 0, at most 1.
    #[arg(long, value_parser = step_size, default_value_t = Options::default().learning_rate)]
    rate: f64,
    /// Seeds of every run; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 5)]
    seeds: u64,
    #[command(flatten)]
    drawn: DrawnChains,
}

const SETTINGS: [Setting; 2] = [Setting::Published, Setting::Ours];

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check([], paths(&args.drawn.output))?;
    let mut text = format!(
        "Of {} seeds, from an even spread. Reward: mean of a step, over the episodes since the row before that learn; -1 is the proven bound, nearer 0 \
         is better. Entropy: of the policy, nats, in the same episodes. Best: slowest stage of the best state so far over the exact optimum, median (worst seed).\n",
        args.seeds
    );
    let bar = crate::lab::progress::progress((args.layers.len() * args.cores.len() * SETTINGS.len()) as u64);
    let mut which = 0;
    for &layers in &args.layers {
        for &cores in &args.cores {
            let case = Case::unseen(layers, cores, which, args.drawn.draw).ok_or_else(|| {
                Failure::BadInput(format!("{layers} layers on {cores} cores have no grouping"))
            })?;
            which += 1;
            let mut runs = Vec::new();
            for setting in SETTINGS {
                bar.set_message(format!("{}, {}", case.name, setting.name()));
                let options = Options {
                    max_steps: args.max_steps,
                    learning_rate: args.rate,
                    library: args.drawn.learner.clone(),
                    ..setting.options()
                };
                let mut of_seeds = Vec::new();
                for seed in 0..args.seeds {
                    if interrupted() {
                        return Err(Failure::NoPlan("interrupted; no table was written".into()));
                    }
                    of_seeds.push(learning_curve(&case, &options, seed, args.episodes)?);
                }
                runs.push(of_seeds);
                bar.inc(1);
            }
            let _ = writeln!(text, "\n{}\n\n{}", case.name, table(&case, args.episodes, &runs));
        }
    }
    bar.finish_and_clear();
    output::write_text(&text, args.drawn.output.as_deref())
}

fn table(case: &Case, episodes: usize, runs: &[Vec<Vec<Episode>>]) -> Table {
    let mut heads = vec!["episode".to_owned()];
    for setting in SETTINGS {
        heads.extend([format!("{}: reward", setting.name()), "entropy".to_owned(), "best".to_owned()]);
    }
    let mut table = tables::markdown(&heads);
    let mut before = 0;
    for row in rows(episodes) {
        let mut cells = vec![row.to_string()];
        for of_seeds in runs {
            let learned = || {
                let since = |run: &'_ Vec<Episode>| run[before.min(run.len())..row.min(run.len())].to_vec();
                of_seeds.iter().flat_map(since).filter(|episode| episode.outcome.figures.entropy > 0.0)
            };
            let mean = |of: &dyn Fn(&Episode) -> f64| {
                let episodes = learned().count();
                match episodes {
                    0 => "-".to_owned(),
                    _ => {
                        format!("{:.3}", learned().map(|episode| of(&episode)).sum::<f64>() / episodes as f64)
                    }
                }
            };
            // A run that ended with a proof stays where it is.
            let best =
                |run: &Vec<Episode>| run.get(row - 1).or(run.last()).map(|episode| episode.best_seconds);
            let mut best: Vec<f64> =
                of_seeds.iter().filter_map(best).map(|seconds| seconds / case.optimum_seconds).collect();
            best.sort_by(f64::total_cmp);
            let middle = best.get(best.len() / 2).copied().unwrap_or(f64::NAN);
            let worst = best.last().copied().unwrap_or(f64::NAN);
            cells.push(mean(&|episode| episode.outcome.mean_reward));
            cells.push(mean(&|episode| episode.outcome.figures.entropy));
            cells.push(format!("{middle:.4} ({worst:.4})"));
        }
        table.add_row(cells);
        before = row;
    }
    table
}

/// 1, 3, 10, 30 and so on, and the last episode.
fn rows(episodes: usize) -> Vec<usize> {
    let powers = (0..7).flat_map(|power| [10usize.pow(power), 3 * 10usize.pow(power)]);
    powers.take_while(|&row| row < episodes).chain([episodes]).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows_end_with_the_last_episode() {
        assert_eq!(super::rows(1), [1]);
        assert_eq!(super::rows(100), [1, 3, 10, 30, 100]);
        assert_eq!(super::rows(120), [1, 3, 10, 30, 100, 120]);
    }
}
