//! The genetic search of \[D\]: roulette wheel, one-point crossover, mutation, repair.

use std::collections::HashMap;

use ballast_core::device::DeviceId;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::report::{Bound, BoundClass, PROOF_TOLERANCE, Report, SearchStats};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fitness::{PENALTY_WEIGHT, fitness, penalised, selection_shares};
use super::matching::own_devices;
use super::repair::repair;
use super::table::{LayerTable, PlacementError};

/// Who says how long a placement takes.
pub trait Measure {
    /// Seconds of each placement, in order. May stop early, with fewer answers, once the deadline is over.
    ///
    /// # Errors
    /// When a placement cannot be run.
    fn seconds(
        &mut self,
        placements: &[Vec<DeviceId>],
        deadline: &Deadline,
    ) -> Result<Vec<f64>, PlacementError>;

    /// A proven lower bound on the seconds of every placement.
    fn bound(&self) -> f64;

    /// How the report names this search.
    fn method(&self) -> &'static str;
}

/// The static problem: predicted times, no transfers.
#[derive(Debug)]
pub struct PredictedLoads<'a>(pub &'a LayerTable);

impl Measure for PredictedLoads<'_> {
    fn seconds(&mut self, placements: &[Vec<DeviceId>], _: &Deadline) -> Result<Vec<f64>, PlacementError> {
        // A table look-up per layer: below some thousands of them a thread costs more than it brings.
        let least = 1 + 20_000 / self.0.layers();
        Ok(placements.par_iter().with_min_len(least).map(|placement| self.0.slowest(placement)).collect())
    }

    fn bound(&self) -> f64 {
        self.0.bound()
    }

    fn method(&self) -> &'static str {
        "genetic-static"
    }
}

/// More chromosomes than this in a generation are refused.
const LARGEST_POPULATION: usize = 1_000_000;

/// Parameters of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Chromosomes in a generation, at least 2. 100 in \[D\].
    pub population: usize,
    /// Probability that a pair of parents is crossed. 0.6 in \[D\].
    pub crossover: f64,
    /// Probability that a child is mutated. 0.1 in \[D\].
    pub mutation: f64,
    /// Probability that a mutation redraws yet another gene. \[D\] says "one or more".
    pub mutate_further: f64,
    /// Generations bred. 10 000 static and 1 000 dynamic in \[D\].
    pub generations: u64,
    /// The best so many chromosomes enter the next generation unchanged; 0 for none. Not in \[D\].
    pub elite: usize,
    /// α of the penalty. 2 in \[D\].
    pub penalty_weight: f64,
    /// End as soon as the best placement meets the proven bound.
    pub stop_at_bound: bool,
    /// Chromosomes of the first generation; the rest is drawn.
    pub initial: Vec<Vec<DeviceId>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            population: 100,
            crossover: 0.6,
            mutation: 0.1,
            mutate_further: 0.5,
            generations: 10_000,
            elite: 1,
            penalty_weight: PENALTY_WEIGHT,
            stop_at_bound: true,
            initial: Vec::new(),
        }
    }
}

impl Options {
    /// The parameters of \[D\] for the dynamic search.
    #[must_use]
    pub fn dynamic() -> Self {
        Options { generations: 1_000, ..Options::default() }
    }

    /// Checks all that does not depend on a problem.
    ///
    /// # Errors
    /// [`PlacementError::Input`] naming the first parameter out of its range.
    pub fn check_ranges(&self) -> Result<(), PlacementError> {
        let refuse = |reason: String| Err(PlacementError::Input(reason));
        if !(2..=LARGEST_POPULATION).contains(&self.population) {
            return refuse(format!(
                "population is {}: it lies in 2 to {LARGEST_POPULATION}",
                self.population
            ));
        }
        if self.elite >= self.population {
            return refuse(format!(
                "elite is {}: it is below the population, {}",
                self.elite, self.population
            ));
        }
        for (name, value) in [
            ("crossover", self.crossover),
            ("mutation", self.mutation),
            ("mutate-further", self.mutate_further),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return refuse(format!("{name} is {value}: it is a probability"));
            }
        }
        if self.mutate_further == 1.0 {
            return refuse("mutate-further is 1: no mutation would end".into());
        }
        if !(self.penalty_weight.is_finite() && self.penalty_weight >= 0.0) {
            return refuse(format!(
                "penalty-weight is {}: it is finite and not negative",
                self.penalty_weight
            ));
        }
        Ok(())
    }

    fn check(&self, table: &LayerTable) -> Result<(), PlacementError> {
        self.check_ranges()?;
        let refuse = |reason: String| Err(PlacementError::Input(reason));
        for placement in &self.initial {
            if placement.len() != table.layers() || placement.iter().any(|d| d.0 >= table.devices()) {
                let numbers: Vec<usize> = placement.iter().map(|device| device.0).collect();
                return refuse(format!(
                    "the initial placement {numbers:?} is not one of {} layers on {} devices",
                    table.layers(),
                    table.devices()
                ));
            }
        }
        Ok(())
    }
}

/// One generation, measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Seconds of the best placement met so far that keeps the rules.
    pub best_seconds: Option<f64>,
    /// Fitness 1/T of the best chromosome of this generation, 1/s.
    pub best_fitness: f64,
    /// Mean fitness of this generation, 1/s.
    pub mean_fitness: f64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Device of every layer.
    pub device_of: Vec<DeviceId>,
    /// Seconds the measure gave it.
    pub seconds: f64,
    /// Predicted max_j t_j of it, without transfers.
    pub predicted_seconds: f64,
    /// Generations bred.
    pub generations: u64,
    /// Chromosomes answered from the cache.
    pub cache_hits: u64,
    /// Every generation, the first one drawn included; empty where nothing is bred.
    pub curve: Vec<Generation>,
    /// Value, bound, why it stopped; `work` counts measured placements.
    pub report: Report,
}

/// Searches the static problem on `limits.threads` threads.
///
/// # Errors
/// See [`search`].
pub fn solve(table: &LayerTable, options: &Options, limits: &Limits) -> Result<Placement, PlacementError> {
    table.check()?;
    on_threads(limits.threads, || search(table, &mut PredictedLoads(table), options, limits))
}

/// Runs `work` with so many threads for parallel iterators.
///
/// # Errors
/// When the threads cannot be started, and what `work` returns.
pub(crate) fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<T, PlacementError> + Send,
) -> Result<T, PlacementError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(|error| PlacementError::Input(format!("cannot start {threads} threads: {error}")))?;
    pool.install(work)
}

/// Searches for the placement `measure` finds fastest among those that keep the rules of `table`.
///
/// The work limit counts measured placements. Without a time limit the answer depends on the input, the
/// options and the seed alone, whatever the number of threads.
///
/// # Errors
/// [`PlacementError::Input`] for tables and options that make no sense, [`PlacementError::NoPlacement`] if no
/// placement that keeps the rules was met, and what `measure` returns.
pub fn search(
    table: &LayerTable,
    measure: &mut dyn Measure,
    options: &Options,
    limits: &Limits,
) -> Result<Placement, PlacementError> {
    table.check()?;
    options.check(table)?;
    table.check_fits()?;
    let mut run = Run::start(table, measure, options, limits);
    let own = if table.layers() <= table.devices() { own_devices(table) } else { None };
    if table.layers() == table.devices() {
        let text =
            "the layers cannot have a device each within the devices' memories: give the devices more memory";
        let placement = own.ok_or_else(|| PlacementError::NoPlacement(text.into()))?;
        run.evaluate(vec![placement])?;
        return run.finish(StopReason::Finished);
    }
    let mut generation = run.first_generation(own);
    loop {
        let times = run.evaluate(std::mem::take(&mut generation))?;
        let Some(evaluated) = times else {
            let reason = if run.deadline.over() { run.deadline.reason() } else { StopReason::WorkLimit };
            return run.finish(reason);
        };
        run.record(&evaluated);
        if options.stop_at_bound && run.proved() {
            return run.finish(StopReason::Proved);
        }
        if run.deadline.over() {
            let reason = run.deadline.reason();
            return run.finish(reason);
        }
        if run.generations == options.generations {
            return run.finish(StopReason::Finished);
        }
        generation = run.breed(&evaluated);
        run.generations += 1;
    }
}

/// A generation with its penalised times.
struct Evaluated {
    placements: Vec<Vec<DeviceId>>,
    times: Vec<f64>,
}

struct Run<'a> {
    table: &'a LayerTable,
    measure: &'a mut dyn Measure,
    options: &'a Options,
    limits: &'a Limits,
    deadline: Deadline,
    rng: ChaCha8Rng,
    /// Seconds by placement. Looked up, never walked, so its order does not matter.
    cache: HashMap<Box<[u16]>, f64>,
    best: Option<(f64, Vec<DeviceId>)>,
    generations: u64,
    measured: u64,
    cache_hits: u64,
    curve: Vec<Generation>,
}

/// Entries of the cache before it is emptied: with 200 layers some 500 MB.
const CACHE_ENTRIES: usize = 1 << 20;

impl<'a> Run<'a> {
    fn start(
        table: &'a LayerTable,
        measure: &'a mut dyn Measure,
        options: &'a Options,
        limits: &'a Limits,
    ) -> Self {
        Run {
            table,
            measure,
            options,
            limits,
            deadline: Deadline::start(limits),
            rng: ChaCha8Rng::seed_from_u64(limits.seed),
            cache: HashMap::new(),
            best: None,
            generations: 0,
            measured: 0,
            cache_hits: 0,
            curve: Vec::new(),
        }
    }

    /// `own` gives every layer a device of its own.
    fn first_generation(&mut self, own: Option<Vec<DeviceId>>) -> Vec<Vec<DeviceId>> {
        let given = self.options.initial.iter().cloned().chain(own);
        let mut generation: Vec<Vec<DeviceId>> = given.take(self.options.population).collect();
        while generation.len() < self.options.population {
            let devices = self.table.devices();
            generation.push(
                (0..self.table.layers()).map(|_| DeviceId(self.rng.random_range(0..devices))).collect(),
            );
        }
        for placement in &mut generation {
            self.make_sound(placement);
        }
        generation
    }

    fn make_sound(&mut self, placement: &mut [DeviceId]) {
        if !self.table.excess(placement).none() {
            repair(self.table, placement, &mut self.rng, &self.deadline);
        }
    }

    /// Measures what the cache does not hold; none once a limit stops it before the generation is complete.
    fn evaluate(&mut self, placements: Vec<Vec<DeviceId>>) -> Result<Option<Evaluated>, PlacementError> {
        let key = |placement: &[DeviceId]| placement.iter().map(|d| d.0 as u16).collect::<Box<[u16]>>();
        if self.cache.len() + placements.len() > CACHE_ENTRIES {
            self.cache.clear();
        }
        let mut fresh: Vec<Vec<DeviceId>> = Vec::new();
        for placement in &placements {
            // NaN marks what is on its way: it is replaced below or the run ends.
            match self.cache.entry(key(placement)) {
                std::collections::hash_map::Entry::Occupied(_) => self.cache_hits += 1,
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(f64::NAN);
                    fresh.push(placement.clone());
                }
            }
        }
        let budget = self.limits.work_limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.measured));
        let allowed = usize::try_from(budget).unwrap_or(usize::MAX).min(fresh.len());
        let seconds = self.measure.seconds(&fresh[..allowed], &self.deadline)?;
        self.measured += seconds.len() as u64;
        for (placement, &seconds) in fresh.iter().zip(&seconds) {
            self.cache.insert(key(placement), seconds);
            if self.best.as_ref().is_none_or(|(best, _)| seconds < *best)
                && self.table.excess(placement).none()
            {
                self.best = Some((seconds, placement.clone()));
            }
        }
        if seconds.len() < fresh.len() {
            return Ok(None);
        }
        let times = placements
            .iter()
            .map(|placement| {
                let seconds = self.cache[&key(placement)];
                penalised(seconds, &self.table.excess(placement), self.options.penalty_weight)
            })
            .collect();
        Ok(Some(Evaluated { placements, times }))
    }

    fn record(&mut self, generation: &Evaluated) {
        let fitnesses = || generation.times.iter().map(|&seconds| fitness(seconds));
        self.curve.push(Generation {
            best_seconds: self.best.as_ref().map(|(seconds, _)| *seconds),
            best_fitness: fitnesses().fold(0.0, f64::max),
            mean_fitness: fitnesses().sum::<f64>() / generation.times.len() as f64,
        });
    }

    fn breed(&mut self, parents: &Evaluated) -> Vec<Vec<DeviceId>> {
        let shares = selection_shares(&parents.times);
        let wheel: Vec<f64> = shares
            .iter()
            .scan(0.0, |sum, share| {
                *sum += share;
                Some(*sum)
            })
            .collect();
        let mut children = Vec::with_capacity(self.options.population);
        let mut order: Vec<usize> = (0..parents.times.len()).collect();
        order.sort_by(|&a, &b| parents.times[a].total_cmp(&parents.times[b]));
        children.extend(order.iter().take(self.options.elite).map(|&i| parents.placements[i].clone()));
        while children.len() < self.options.population {
            let mut pair = [self.spin(&wheel), self.spin(&wheel)].map(|i| parents.placements[i].clone());
            // One layer alone has no tail to swap.
            if self.table.layers() > 1 && self.rng.random_bool(self.options.crossover) {
                let cut = self.rng.random_range(1..self.table.layers());
                let [first, second] = &mut pair;
                first[cut..].swap_with_slice(&mut second[cut..]);
            }
            for mut child in pair {
                if children.len() == self.options.population {
                    break;
                }
                if self.rng.random_bool(self.options.mutation) {
                    self.mutate(&mut child);
                }
                self.make_sound(&mut child);
                children.push(child);
            }
        }
        children
    }

    fn spin(&mut self, wheel: &[f64]) -> usize {
        let point: f64 = self.rng.random();
        wheel.partition_point(|&end| end <= point).min(wheel.len() - 1)
    }

    fn mutate(&mut self, child: &mut [DeviceId]) {
        loop {
            let gene = self.rng.random_range(0..child.len());
            child[gene] = DeviceId(self.rng.random_range(0..self.table.devices()));
            if !self.rng.random_bool(self.options.mutate_further) {
                break;
            }
        }
    }

    fn proved(&self) -> bool {
        let bound = self.measure.bound();
        self.best.as_ref().is_some_and(|(seconds, _)| *seconds <= bound * (1.0 + PROOF_TOLERANCE))
    }

    fn finish(self, stop_reason: StopReason) -> Result<Placement, PlacementError> {
        let bound = Bound::proved(self.measure.bound(), BoundClass::AnyPlacement);
        let Some((seconds, device_of)) = self.best else {
            if self.measured == 0 {
                let text = "the search was stopped before the first placement was run: give it more time, or a smaller batch";
                return Err(PlacementError::NoPlacement(text.into()));
            }
            return Err(PlacementError::NoPlacement(format!(
                "no placement within the devices' memories was met in {} generations ({} placements): give the devices \
                 more memory, or the search more time",
                self.generations, self.measured
            )));
        };
        let search = SearchStats {
            method: self.measure.method().into(),
            stop_reason,
            seconds: self.deadline.elapsed_seconds(),
            work: self.measured,
            seed: self.limits.seed,
        };
        let report = Report::new(seconds, bound, search)?;
        Ok(Placement {
            predicted_seconds: self.table.slowest(&device_of),
            seconds,
            device_of,
            generations: self.generations,
            cache_hits: self.cache_hits,
            curve: self.curve,
            report,
        })
    }
}
