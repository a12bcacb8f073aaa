//! `ballast lab bench rl-weights`: plans for chips under different weights of compute, memory and route, each beside all others.

use std::fmt::Write as _;

use ballast_core::limits::{Deadline, Limits, interrupted};
use ballast_partition::rl::comparison::Case;
use ballast_partition::rl::environment::State;
use ballast_partition::rl::machine::{Goal, Reward, Score};
use ballast_partition::rl::train::{self, Options, Setting};
use ballast_partition::rl::weighted::{TooLarge, best_weighted};
use comfy_table::Table;

use crate::failure::Failure;
use crate::output;
use crate::output::paths;
use crate::ranges::count;
use crate::search_args::DrawnChains;
use crate::tables;

/// Arguments of `ballast lab bench rl-weights`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layers of the generated chains; 2 to 200.
    #[arg(long, value_parser = count::<usize, 2, 200>, value_delimiter = ',', default_values_t = [20, 40])]
    layers: Vec<usize>,
    /// Cores of the chips; 2 to 64.
    #[arg(long, value_parser = count::<usize, 2, 64>, default_value_t = 8)]
    cores: usize,
    /// Weights of compute, memory and route, joined by colons; each 0 to 1000, one of them above 0.
    #[arg(long, value_parser = weights, value_delimiter = ',', default_value = "1:0:0,1:0.1:0,1:0:0.1,1:1:1")]
    weights: Vec<Weights>,
    /// Episodes of the learner; 1 to 1000000.
    #[arg(long, value_parser = count::<usize, 1, 1_000_000>, default_value_t = 50)]
    episodes: usize,
    /// Seeds of the learner; 1 to 1000.
    #[arg(long, value_parser = count::<u64, 1, 1000>, default_value_t = 5)]
    seeds: u64,
    #[command(flatten)]
    drawn: DrawnChains,
}

/// Weights of compute, memory and route.
#[derive(Clone, Copy, Debug)]
struct Weights([f64; 3]);

impl Weights {
    fn reward(self) -> Reward {
        let Weights([compute, memory, route]) = self;
        Reward::Weighted { compute, memory, route }
    }

    fn goal(self, start: Score) -> Goal {
        Goal { reward: self.reward(), scale: 1.0, penalty: -1.0, start }
    }

    fn name(self) -> String {
        self.0.map(|weight| weight.to_string()).join(", ")
    }
}

fn weights(text: &str) -> Result<Weights, String> {
    let numbers: Option<Vec<f64>> = text.split(':').map(|number| number.parse().ok()).collect();
    let in_range = |weight: &f64| (0.0..=1000.0).contains(weight);
    match numbers.as_deref() {
        Some(&[compute, memory, route])
            if [compute, memory, route].iter().all(in_range) && compute + memory + route > 0.0 =>
        {
            Ok(Weights([compute, memory, route]))
        }
        _ => Err("give three numbers from 0 to 1000 joined by colons, one of them above 0".into()),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check([], paths(&args.drawn.output))?;
    let mut text = String::from(
        "Loads and weighted sums of the exact plan for every weighting, over those of an even spread; the sums under its own weights are the least of \
         their columns. Learner: its best state's sum over the exact one, median of the seeds (worst).\n",
    );
    for (which, &layers) in args.layers.iter().enumerate() {
        let case = Case::unseen(layers, args.cores, which, args.drawn.draw);
        let spread = State::spread(layers, args.cores);
        let (Some(case), Some(spread)) = (case, spread) else {
            return Err(Failure::BadInput(format!(
                "{layers} layers on {} cores have no grouping",
                args.cores
            )));
        };
        let _ = writeln!(text, "\n{}\n\n{}", case.name, table(args, &case, &spread)?);
    }
    output::write_text(&text, args.drawn.output.as_deref())
}

fn table(args: &Args, case: &Case, spread: &State) -> Result<Table, Failure> {
    let start = case.machine.score(spread);
    let mut heads =
        ["compute, memory, route", "stages", "compute", "memory", "route"].map(str::to_owned).to_vec();
    heads.extend(args.weights.iter().map(|weights| format!("sum at {}", weights.name())));
    heads.extend(["learner, ours", "published"].map(str::to_owned));
    let mut table = tables::markdown(&heads);
    for weights in &args.weights {
        let goal = weights.goal(start);
        let exact = best_weighted(&case.machine, &goal, &start, &mut || true).map_err(|TooLarge| {
            Failure::NoPlan(format!(
                "{}: too many groupings for an exact answer: give fewer layers or cores",
                case.name
            ))
        })?;
        let score = exact.map_or(start, |state| case.machine.score(&state));
        let mut row = vec![
            weights.name(),
            score.stages.to_string(),
            format!("{:.3}", score.compute_seconds / start.compute_seconds),
            format!("{:.3}", score.memory_bytes / start.memory_bytes),
            format!("{:.3}", score.route_bytes / start.route_bytes),
        ];
        row.extend(args.weights.iter().map(|other| format!("{:.4}", other.goal(start).cost(&score))));
        for setting in [Setting::Ours, Setting::Published] {
            let mut over = Vec::new();
            for seed in 0..args.seeds {
                if interrupted() {
                    return Err(Failure::NoPlan("interrupted; no table was written".into()));
                }
                let options = Options {
                    reward: weights.reward(),
                    episodes: args.episodes,
                    library: args.drawn.learner.clone(),
                    ..setting.options()
                };
                let limits = Limits { seed, time_limit_seconds: None, ..Limits::default() };
                let clock = Deadline::start(&limits);
                let best = train::run(&case.machine, spread, &options, &limits, &clock, |_| {})?.best;
                over.push(goal.cost(&best.score) / goal.cost(&score));
            }
            over.sort_by(f64::total_cmp);
            let (middle, worst) = (over[over.len() / 2], over[over.len() - 1]);
            row.push(format!("{middle:.4} ({worst:.4})"));
        }
        table.add_row(row);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #[test]
    fn weights_are_three_numbers_in_range() {
        assert_eq!(super::weights("1:0.5:0").unwrap().0, [1.0, 0.5, 0.0]);
        for text in ["1:2", "1:2:3:4", "0:0:0", "-1:1:1", "nan:1:1", "1e9:1:1", ""] {
            assert!(super::weights(text).is_err(), "{text}");
        }
    }
}
