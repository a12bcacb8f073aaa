//! The optimal dynamic program on chains of layers with their backward pass.
//!
//! Beaumont et al., "Optimal checkpointing for heterogeneous chains" (2019), for the values of this problem: layer i
//! reads layer i-1, its gradient reads the gradient after it and both values, so that a value kept as a
//! checkpoint serves its own gradient too. E(s, t, m) is the least time of layers run for the gradients t down to
//! s, the value before s held outside of the m bytes, value t and gradient t+1 within them:
//! E(s, s, m) = 0 if gradient s fits; E(s, t, m) = min over s < k <= t of
//! time(s..k-1) + E(k, t, m - size(k-1)) + E(s, k-1, m), where layers s..k-1 run with only the last kept. C(s, m) is the same for the
//! first pass, up to the last layer, whose value is not there yet. Optimal among the plans that keep what
//! they keep until its gradient has run.

use ballast_core::limits::Deadline;

use crate::outcome::Error;
use crate::program::{Again, Program, Slot};
use crate::solver::{MemorySolver, Proposal, Task};
use crate::timeline::Timeline;

/// Most entries of the table, 4 bytes each.
const ENTRIES: usize = 150_000_000;
/// Most sums of two entries: some seconds.
const SUMS: f64 = 3e10;
/// Most layers: with more the table has too few levels of memory to be worth it.
const LAYERS: usize = 1200;

/// The dynamic program alone.
pub(crate) struct DynamicProgram;

impl MemorySolver for DynamicProgram {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn about(&self) -> &'static str {
        "the optimal dynamic program on chains"
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let Some(chain) = Chain::of(task.program) else {
            let reason = "the graph is not a chain of layers with one gradient each".into();
            return Err(Error::NotApplicable { solver: self.name(), reason });
        };
        Ok(task.in_one_pass(self.name(), feasible_plan(task.program, &chain, &task.deadline)))
    }
}

/// The plan of the dynamic program, where it keeps the cap, and its extra time.
pub(crate) fn feasible_plan(
    program: &Program,
    chain: &Chain<'_>,
    deadline: &Deadline,
) -> Option<(f64, Vec<Again>)> {
    let mut line = Timeline::new(program);
    let plan = chain.solve(deadline)?;
    tracing::debug!(exact = plan.exact, "dynamic program on a chain");
    line.load(&plan.again);
    (line.excess <= 0.0).then(|| (line.extra_time, line.plan()))
}

/// A chain: forward slots are 0..layers, then the loss if there is one, then the gradients, last layer first.
pub(crate) struct Chain<'a> {
    program: &'a Program,
    layers: usize,
    loss: bool,
}

/// A plan of the dynamic program.
pub(crate) struct ChainPlan {
    pub(crate) again: Vec<Again>,
    /// Are all sizes whole multiples of the memory level, so that the plan is optimal in its class?
    pub(crate) exact: bool,
}

impl<'a> Chain<'a> {
    /// The chain a program is; none if it is something else.
    pub(crate) fn of(program: &'a Program) -> Option<Self> {
        let (layers, loss) = (program.len() / 2, program.len() % 2 == 1);
        if !(2..=LAYERS).contains(&layers) {
            return None;
        }
        let forward = (0..layers).all(|i| {
            program.repeatable[i]
                && program.inputs(i as Slot).iter().copied().eq(i.checked_sub(1).map(|i| i as Slot))
        });
        let chain = Chain { program, layers, loss };
        let end = !loss || program.inputs(layers as Slot) == [layers as Slot - 1];
        let backward = (0..layers).all(|i| {
            let after = (loss || i + 1 < layers).then(|| chain.gradient(i) as Slot - 1);
            let reads = i.checked_sub(1).map(|i| i as Slot).into_iter().chain([i as Slot]).chain(after);
            program.inputs(chain.gradient(i) as Slot).iter().copied().eq(reads)
        });
        (forward && end && backward).then_some(chain)
    }

    /// Number of layers.
    pub(crate) fn layers(&self) -> usize {
        self.layers
    }

    /// Slot of the gradient of a layer.
    pub(crate) fn gradient(&self, layer: usize) -> usize {
        2 * self.layers - 1 - layer + usize::from(self.loss)
    }

    /// Solves the dynamic program; none if no plan of its class fits, or the deadline passes.
    pub(crate) fn solve(&self, deadline: &Deadline) -> Option<ChainPlan> {
        let (program, layers) = (self.program, self.layers);
        let n = layers as f64;
        let most = (ENTRIES / (layers * (layers + 1) / 2))
            .min((SUMS * 6.0 / (n * n * n)) as usize)
            .clamp(16, 1 << 13);
        let unit = unit(program).max(1.0);
        let exact = program.cap / unit <= most as f64;
        let level = if exact { unit } else { program.cap / most as f64 };
        let slots = (program.cap / level).floor() as usize;
        let levels = Levels::of(self, level);
        let width = slots + 1;
        let mut table =
            Table { layers, width, cost: vec![f32::INFINITY; (layers * (layers + 1) / 2 + layers) * width] };
        let mut row = vec![f32::INFINITY; width];
        for length in 0..layers {
            for s in 0..layers - length {
                if deadline.over() {
                    return None;
                }
                let t = s + length;
                row.fill(f32::INFINITY);
                if length == 0 {
                    row.iter_mut().skip(levels.back[s]).for_each(|cost| *cost = 0.0);
                }
                table.split(&levels, s, t, false, &mut row);
                let at = table.segment(s, t);
                table.cost[at..at + width].copy_from_slice(&row);
            }
        }
        for s in (0..layers).rev() {
            row.fill(f32::INFINITY);
            if s + 1 == layers {
                let need = levels.back[s].max(levels.run[s]);
                row.iter_mut().skip(need).for_each(|cost| *cost = levels.time(s, s + 1));
            }
            table.split(&levels, s, layers - 1, true, &mut row);
            let at = table.pass(s);
            table.cost[at..at + width].copy_from_slice(&row);
        }
        let again = self.trace(&table, &levels, slots)?;
        Some(ChainPlan { again, exact })
    }

    /// The recomputes of the best plan.
    fn trace(&self, table: &Table, levels: &Levels, slots: usize) -> Option<Vec<Again>> {
        let last = self.layers - 1;
        let mut runs: Vec<usize> = Vec::new();
        // Segments to do: s, t, memory, and whether this is the first pass.
        let mut stack = vec![(0, last, slots, true)];
        while let Some((s, t, m, first)) = stack.pop() {
            let at = |s: usize, t: usize| if first { table.pass(s) } else { table.segment(s, t) };
            let cost = table.cost[at(s, t) + m];
            if !cost.is_finite() {
                return None;
            }
            if s == t {
                runs.extend(first.then_some(s));
                runs.extend((first && self.loss).then_some(self.layers));
                runs.push(self.gradient(s));
                continue;
            }
            let mut need = 0;
            // The same sums as in the table, so that one of them is equal.
            let k = (s + 1..=t).find(|&k| {
                need = need.max(levels.step(s, k - 1, t, first));
                m >= need && {
                    let late = table.cost[at(k, t) + m - levels.size[k - 1]];
                    levels.time(s, k) + late + table.cost[table.segment(s, k - 1) + m] == cost
                }
            })?;
            runs.extend(s..k);
            stack.push((s, k - 1, m, false));
            stack.push((k, t, m - levels.size[k - 1], first));
        }
        self.program.again_of(runs.into_iter().map(|slot| slot as Slot))
    }
}

/// Sizes in levels of memory, times summed up.
struct Levels {
    size: Vec<usize>,
    /// Of a layer with its workspace.
    run: Vec<usize>,
    /// Of the gradients, by layer; the one after the last layer is the loss.
    gradient: Vec<usize>,
    /// While a gradient runs, without the value before its layer.
    back: Vec<usize>,
    /// Time of the layers before each.
    before: Vec<f32>,
}

impl Levels {
    fn of(chain: &Chain<'_>, level: f64) -> Self {
        let (program, layers) = (chain.program, chain.layers);
        let up = |bytes: f64| (bytes / level).ceil() as usize;
        let size: Vec<usize> = (0..layers).map(|i| up(program.size[i])).collect();
        let run = (0..layers).map(|i| up(program.size[i] + program.workspace[i])).collect();
        let mut gradient: Vec<usize> = (0..layers).map(|i| up(program.size[chain.gradient(i)])).collect();
        gradient.push(if chain.loss { up(program.size[layers]) } else { 0 });
        let loss_workspace = if chain.loss { up(program.workspace[layers]) } else { 0 };
        let back = (0..layers)
            .map(|i| {
                let workspace = up(program.workspace[chain.gradient(i)]);
                let own = size[i] + gradient[i] + gradient[i + 1] + workspace;
                if i + 1 == layers { own.max(size[i] + gradient[i + 1] + loss_workspace) } else { own }
            })
            .collect();
        let mut before = vec![0.0f32];
        for i in 0..layers {
            before.push(before[i] + program.time[i] as f32);
        }
        Levels { size, run, gradient, back, before }
    }

    /// Time of the layers from s up to but not with k.
    fn time(&self, s: usize, k: usize) -> f32 {
        self.before[k] - self.before[s]
    }

    /// Memory while layer i runs in a pass that starts at s, for gradients from t down.
    fn step(&self, s: usize, i: usize, t: usize, first: bool) -> usize {
        let input = if i > s { self.size[i - 1] } else { 0 };
        input + self.run[i] + if first { 0 } else { self.size[t] + self.gradient[t + 1] }
    }
}

/// Costs by segment and memory level.
struct Table {
    layers: usize,
    width: usize,
    cost: Vec<f32>,
}

impl Table {
    /// Where the row of E(s, t) starts: those of one s follow each other.
    fn segment(&self, s: usize, t: usize) -> usize {
        (s * (2 * self.layers - s + 1) / 2 + (t - s)) * self.width
    }

    /// Where the row of C(s) starts.
    fn pass(&self, s: usize) -> usize {
        (self.layers * (self.layers + 1) / 2 + s) * self.width
    }

    /// Takes the least over all splits of s..t, of the first pass or a later one, into a row.
    fn split(&self, levels: &Levels, s: usize, t: usize, first: bool, row: &mut [f32]) {
        let mut need = 0;
        for k in s + 1..=t {
            need = need.max(levels.step(s, k - 1, t, first));
            if need >= self.width {
                return;
            }
            let time = levels.time(s, k);
            let late = if first { self.pass(k) } else { self.segment(k, t) };
            let late = &self.cost[late + need - levels.size[k - 1]..];
            let early = &self.cost[self.segment(s, k - 1) + need..];
            for ((cost, &late), &early) in row[need..].iter_mut().zip(late).zip(early) {
                *cost = cost.min(time + late + early);
            }
        }
    }
}

/// Largest whole number of bytes that divides all sizes.
fn unit(program: &Program) -> f64 {
    let sizes = program.size.iter().chain(&program.workspace);
    let divisor = sizes.fold(0u64, |divisor, &bytes| {
        let (mut a, mut b) = (divisor, bytes as u64);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    });
    divisor as f64
}

#[cfg(test)]
mod tests {
    use ballast_core::memory::{Node, NodeId, Problem};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::timeline::Timeline;

    fn chain(layers: usize, loss: bool, draw: &mut dyn FnMut() -> u64) -> Problem {
        let mut nodes: Vec<Node> = (0..layers)
            .map(|i| Node::new(format!("l{i}"), draw() as f64, draw(), i.checked_sub(1)))
            .collect();
        if loss {
            nodes.push(Node::new("loss", 0.0, 1, vec![layers - 1]));
        }
        for i in (0..layers).rev() {
            let mut inputs: Vec<usize> = i.checked_sub(1).into_iter().chain([i]).collect();
            inputs.extend((loss || i + 1 < layers).then(|| nodes.len() - 1));
            nodes.push(Node::new(format!("grad{i}"), draw() as f64, draw(), inputs));
        }
        Problem { name: "chain".into(), nodes, resident_bytes: 0 }
    }

    fn solved(problem: &Problem, cap: u64) -> Option<f64> {
        let program = Program::new(problem, None, cap).with_rounds(true);
        let plan = Chain::of(&program).unwrap().solve(&Deadline::after(None))?;
        assert!(plan.exact);
        let mut line = Timeline::new(&program);
        line.load(&plan.again);
        assert!(line.excess <= 0.0, "{} bytes above {cap}", line.excess);
        Some(line.extra_time)
    }

    #[test]
    fn uniform_chains_by_hand() {
        // Values and gradients of one byte. Keep-all of 4 layers peaks at 4 values, and the gradient beside them.
        let problem = chain(4, false, &mut || 1);
        assert_eq!(problem.unplanned_peak(), 5);
        assert_eq!(solved(&problem, 5), Some(0.0));
        // One value fewer: one layer runs twice. The working set, 2 values and 2 gradients, is the least.
        assert_eq!(solved(&problem, 4), Some(1.0));
        assert_eq!(solved(&problem, 3), None);
    }

    #[test]
    fn less_memory_never_costs_less_and_every_plan_fits() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for round in 0..40 {
            let problem = chain(rng.random_range(2..30), round % 2 == 0, &mut || rng.random_range(1..10));
            let (least, _) = problem.working_set();
            let mut previous = f64::INFINITY;
            for cap in least..=problem.unplanned_peak() {
                let cost = solved(&problem, cap).unwrap_or(f64::INFINITY);
                assert!(cost <= previous);
                previous = cost;
            }
            assert_eq!(previous, 0.0);
        }
    }

    #[test]
    fn other_graphs_are_no_chains() {
        let mut problem = chain(5, true, &mut || 1);
        problem.nodes[7].inputs = vec![NodeId(2), NodeId(6)];
        assert!(Chain::of(&Program::new(&problem, None, 10)).is_none());
    }
}
