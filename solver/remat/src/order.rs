//! Local search over topological orders: less memory above the cap, without repeating anything.
//!
//! One move takes a step to another place between its inputs and its readers; only the window between the two
//! places is simulated again. The steps may be those of a plan with recomputes, each copy of a value a step of
//! its own.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::program::Program;
use crate::timeline::{Timeline, first, is_first};

/// A step of the sequence to be reordered: what it makes, what it reads.
#[derive(Clone, Debug)]
struct Step {
    size: f64,
    workspace: f64,
    inputs: Vec<u32>,
    readers: Vec<u32>,
    /// Steps that have to come earlier or later for other reasons than data.
    after: Vec<u32>,
    before: Vec<u32>,
}

/// Steps in an order that is changed to need less memory.
#[derive(Clone)]
pub(crate) struct Reordering {
    steps: Vec<Step>,
    pub(crate) order: Vec<u32>,
    place: Vec<u32>,
    last: Vec<u32>,
    entering: Vec<f64>,
    cap: f64,
    /// Bytes above the cap, summed over the places.
    pub(crate) excess: f64,
    /// Steps moved by any move so far, a measure of work.
    pub(crate) work: u64,
}

impl Reordering {
    /// The steps of a plan; `slots` tells which node each step runs, first runs before recomputes of a node.
    pub(crate) fn of(line: &Timeline<'_>, cap: f64) -> (Self, Vec<u32>) {
        let program = line.program;
        let mut keys: Vec<u64> = (0..program.len() as u32).map(first).collect();
        keys.extend(line.between());
        keys.sort_unstable();
        let index_of = |key: u64| keys.binary_search(&key).unwrap_or(0) as u32;
        let slots: Vec<u32> = keys.iter().map(|&key| line.node(key)).collect();
        let mut steps: Vec<Step> = slots
            .iter()
            .map(|&slot| Step {
                size: program.size[slot as usize],
                workspace: program.workspace[slot as usize],
                inputs: Vec::new(),
                readers: Vec::new(),
                after: Vec::new(),
                before: Vec::new(),
            })
            .collect();
        for (at, &key) in keys.iter().enumerate() {
            for &input in program.inputs(slots[at]) {
                if let Some(span) = line.span_before(input, key) {
                    let from = index_of(span.start);
                    steps[at].inputs.push(from);
                    steps[from as usize].readers.push(at as u32);
                }
            }
            let earlier = if is_first(key) { program.after(slots[at]) } else { Some(slots[at]) };
            if let Some(slot) = earlier {
                let from = index_of(first(slot));
                steps[at].after.push(from);
                steps[from as usize].before.push(at as u32);
            }
        }
        let count = steps.len() as u32;
        let mut reordering = Reordering {
            place: (0..count).collect(),
            order: (0..count).collect(),
            last: vec![0; steps.len()],
            entering: vec![0.0; steps.len() + 1],
            steps,
            cap,
            excess: 0.0,
            work: 0,
        };
        for step in 0..count {
            reordering.find_last(step);
        }
        reordering.excess = reordering.simulate(0, count as usize);
        (reordering, slots)
    }

    fn find_last(&mut self, step: u32) {
        let readers = &self.steps[step as usize].readers;
        let last = readers.iter().map(|&reader| self.place[reader as usize]).max();
        self.last[step as usize] = last.unwrap_or(self.place[step as usize]);
    }

    /// Simulates a window of places; the excess in it.
    fn simulate(&mut self, from: usize, to: usize) -> f64 {
        let mut live = self.entering[from];
        let mut excess = 0.0;
        for at in from..to {
            self.entering[at] = live;
            let step = &self.steps[self.order[at] as usize];
            let bytes = live + step.size + step.workspace;
            excess += (bytes - self.cap).max(0.0);
            live += step.size;
            if step.readers.is_empty() {
                live -= step.size;
            }
            for &input in &step.inputs {
                if self.last[input as usize] as usize == at {
                    live -= self.steps[input as usize].size;
                }
            }
        }
        if to == self.order.len() {
            self.entering[to] = live;
        }
        excess
    }

    /// Excess of a window as it stands.
    fn window(&self, from: usize, to: usize) -> f64 {
        (from..to)
            .map(|at| {
                let step = &self.steps[self.order[at] as usize];
                (self.entering[at] + step.size + step.workspace - self.cap).max(0.0)
            })
            .sum()
    }

    /// Moves the step at one place to another and simulates what lies between.
    fn shift(&mut self, from: usize, to: usize) -> f64 {
        let (low, high) = (from.min(to), from.max(to) + 1);
        let before = self.window(low, high);
        if from < to {
            self.order[low..high].rotate_left(1);
        } else {
            self.order[low..high].rotate_right(1);
        }
        for at in low..high {
            self.place[self.order[at] as usize] = at as u32;
        }
        for at in low..high {
            let step = self.order[at] as usize;
            for index in 0..self.steps[step].inputs.len() {
                self.find_last(self.steps[step].inputs[index]);
            }
            if self.steps[step].readers.is_empty() {
                self.last[step] = at as u32;
            }
        }
        self.work += (high - low) as u64;
        let change = self.simulate(low, high) - before;
        self.excess += change;
        change
    }

    /// Tries one random move; kept if the excess falls or chance allows it.
    pub(crate) fn step(&mut self, rng: &mut ChaCha8Rng, temperature: f64) {
        let count = self.order.len();
        let from = rng.random_range(0..count);
        let step = &self.steps[self.order[from] as usize];
        let places =
            |list: &[u32]| -> Vec<usize> { list.iter().map(|&s| self.place[s as usize] as usize).collect() };
        let low = places(&step.inputs).into_iter().chain(places(&step.after)).max().map_or(0, |at| at + 1);
        let high = places(&step.readers).into_iter().chain(places(&step.before)).min().unwrap_or(count) - 1;
        if low >= high {
            return;
        }
        // Mostly near, sometimes anywhere.
        let to = if rng.random_bool(0.7) {
            let reach = rng.random_range(1..12);
            if rng.random_bool(0.5) { (from + reach).min(high) } else { from.saturating_sub(reach).max(low) }
        } else {
            rng.random_range(low..=high)
        };
        if to == from {
            return;
        }
        let change = self.shift(from, to);
        let accept =
            change <= 0.0 || (temperature > 0.0 && rng.random::<f64>() < (-change / temperature).exp());
        if !accept {
            self.shift(to, from);
        }
    }
}

/// Places with equal sums can differ in rounding only: sizes are whole numbers below 2^53, sums are exact.
pub(crate) fn mean_size(program: &Program) -> f64 {
    program.size.iter().sum::<f64>() / program.len().max(1) as f64
}
