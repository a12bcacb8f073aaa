//! The full time-indexed program: exact over all compact plans of one order of first runs; for small problems.
//!
//! Step t makes the first run at position t. Within a step: swap-ins, recomputes in ascending order, the first
//! run, swap-outs. Columns, all 0 or 1, for i < t: `run_t_i` (i runs again in step t), `device_t_i` (i is on the device when
//! step t begins), `host_t_i` (on the host), `in_t_i`, `out_t_i` (copied in, out), and between 0 and 1 `held_t_k_i`
//! (i is held while slot k of step t runs). Row families (docs/memory-planner.md): `computable`, `device`, `host`,
//! `swap_in`, `swap_out`, `execution`, `recompute`, `once`, `held`, `capacity`, `host_capacity`. Every copy counts in full.

use ballast_core::memory::SwapModel;

use crate::model::{Column, Model, Name, WHOLE_CAP, WHOLE_TIME, name, single, triple};
use crate::program::{Again, Plan, Program, Slot};

/// Largest number of nodes: the columns grow with its cube.
pub(crate) const MOST_STEPS: usize = 40;

/// The model and where its columns are.
pub(crate) struct Stepwise<'a> {
    program: &'a Program,
    pub(crate) model: Model,
    run: Vec<Vec<Column>>,
    device: Vec<Vec<Column>>,
    host: Vec<Vec<Column>>,
    copy_in: Vec<Vec<Column>>,
    copy_out: Vec<Vec<Column>>,
}

impl<'a> Stepwise<'a> {
    pub(crate) fn new(program: &'a Program, swap: Option<&SwapModel>) -> Self {
        let n = program.len();
        let time = WHOLE_TIME / program.total_time.max(f64::MIN_POSITIVE);
        let mut model = Model::default();
        let mut triangle =
            |family: &'static str, cost: &dyn Fn(usize) -> f64, allowed: &dyn Fn(usize) -> bool| {
                (0..=n)
                    .map(|t| {
                        (0..t.min(n))
                            .map(|i| {
                                let column = model.binary(name(family, t, i), cost(i));
                                if !allowed(i) {
                                    model.fix(column, 0.0);
                                }
                                column
                            })
                            .collect::<Vec<_>>()
                    })
                    .collect::<Vec<_>>()
            };
        let swaps = |i: usize| swap.is_some() && program.swappable[i];
        let out_cost = |i: usize| swap.map_or(0.0, |swap| swap.out_time(program.size[i] as u64) * time);
        let in_cost = |i: usize| swap.map_or(0.0, |swap| swap.in_time(program.size[i] as u64) * time);
        let run = triangle("run", &|i| program.time[i] * time, &|i| program.repeatable[i]);
        let device = triangle("device", &|_| 0.0, &|_| true);
        let host = triangle("host", &|_| 0.0, &swaps);
        let copy_in = triangle("in", &in_cost, &swaps);
        // The first run's value may leave in its own step.
        let copy_out: Vec<Vec<Column>> = (0..n)
            .map(|t| {
                (0..=t)
                    .map(|i| {
                        let column = model.binary(name("out", t, i), out_cost(i));
                        if !swaps(i) {
                            model.fix(column, 0.0);
                        }
                        column
                    })
                    .collect()
            })
            .collect();
        let mut stepwise = Stepwise { program, model, run, device, host, copy_in, copy_out };
        for t in 0..n {
            stepwise.step(t);
            stepwise.capacities(t);
            if let Some(limit) = swap.and_then(|swap| swap.host_capacity_bytes) {
                let scale = WHOLE_CAP / (limit as f64).max(1.0);
                let terms = (0..=t).map(|i| (stepwise.host[t + 1][i], program.size[i] * scale)).collect();
                stepwise.model.at_most(single("host_capacity", t), terms, WHOLE_CAP);
            }
        }
        stepwise
    }

    /// Columns that are 1 if i is there in step t, once its recomputes are done.
    fn there(&self, t: usize, i: usize) -> [Column; 3] {
        [self.device[t][i], self.copy_in[t][i], self.run[t][i]]
    }

    fn step(&mut self, t: usize) {
        let with = |first: (Column, f64), there: [Column; 3]| {
            let mut terms = vec![first];
            terms.extend(there.map(|column| (column, -1.0)));
            terms
        };
        for i in 0..t {
            if !self.program.repeatable[i] {
                self.model.at_most(name("recompute", t, i), vec![(self.run[t][i], 1.0)], 0.0);
            }
            let there = self.there(t, i);
            for &reader in self.program.readers(i as Slot) {
                let reader = reader as usize;
                if reader < t {
                    let terms = with((self.run[t][reader], 1.0), there);
                    self.model.at_most(triple("computable", t, reader, i), terms, 0.0);
                } else if reader == t {
                    let terms = there.map(|column| (column, 1.0)).to_vec();
                    self.model.at_least(name("execution", t, i), terms, 1.0);
                }
            }
            let terms = there.map(|column| (column, 1.0)).to_vec();
            self.model.at_most(name("once", t, i), terms, 1.0);
            self.model.at_most(name("device", t, i), with((self.device[t + 1][i], 1.0), there), 0.0);
            self.model.at_most(name("swap_out", t, i), with((self.copy_out[t][i], 1.0), there), 0.0);
            let terms = vec![(self.copy_in[t][i], 1.0), (self.host[t][i], -1.0)];
            self.model.at_most(name("swap_in", t, i), terms, 0.0);
            let terms = vec![(self.copy_out[t][i], 1.0), (self.host[t][i], 1.0)];
            self.model.at_most(name("swap_out_once", t, i), terms, 1.0);
        }
        for i in 0..=t {
            let mut terms = vec![(self.host[t + 1][i], 1.0), (self.copy_out[t][i], -1.0)];
            terms.extend(self.host[t].get(i).map(|&column| (column, -1.0)));
            self.model.at_most(name("host", t, i), terms, 0.0);
        }
    }

    fn capacities(&mut self, t: usize) {
        let scale = WHOLE_CAP / self.program.cap.max(1.0);
        let size = |i: usize| self.program.size[i] * scale;
        let mut terms: Vec<(Column, f64)> = Vec::new();
        for i in 0..t {
            terms.extend([(self.device[t][i], size(i)), (self.copy_in[t][i], size(i))]);
        }
        self.model.at_most(single("swap_in_capacity", t), terms, WHOLE_CAP);
        for k in 0..=t {
            let mut terms = Vec::new();
            let own = size(k) + self.program.workspace[k] * scale;
            let mut room = WHOLE_CAP;
            if k == t {
                room -= own;
            } else {
                terms.push((self.run[t][k], own));
            }
            for i in (0..t).filter(|&i| i != k && size(i) > 0.0) {
                let held = self.held(t, k, i);
                terms.push((held, size(i)));
            }
            self.model.at_most(name("capacity", t, k), terms, room);
        }
    }

    /// The column that is 1 where i is there before slot k of step t and needed at or after it.
    fn held(&mut self, t: usize, k: usize, i: usize) -> Column {
        let held = self.model.column(triple("held", t, k, i), 0.0, 1.0, false);
        let mut present = vec![self.device[t][i], self.copy_in[t][i]];
        if i < k {
            present.push(self.run[t][i]);
        }
        let mut needed = vec![self.device[t + 1][i], self.copy_out[t][i]];
        let mut always = false;
        for &reader in self.program.readers(i as Slot) {
            let reader = reader as usize;
            if (k..t).contains(&reader) {
                needed.push(self.run[t][reader]);
            }
            always |= reader == t;
        }
        // Of the ways to be present at most one is 1 (`once`), so they may be summed.
        let base = |sign: f64| {
            let mut terms = vec![(held, 1.0)];
            terms.extend(present.iter().map(|&column| (column, sign)));
            terms
        };
        if always {
            self.model.at_least(triple("held", t, k, i), base(-1.0), 0.0);
            return held;
        }
        for column in needed {
            let mut terms = base(-1.0);
            terms.push((column, -1.0));
            // One row per need, named after its column.
            let family = self.model.names[column].family;
            let family = if family == "run" {
                "held_run"
            } else if family == "out" {
                "held_out"
            } else {
                "held_on"
            };
            let row = if family == "held_run" {
                let reader = self.model.names[column].second.unwrap_or(0);
                Name { family, first: t * self.program.len() + k, second: Some(i), third: Some(reader) }
            } else {
                triple(family, t, k, i)
            };
            self.model.at_least(row, terms, -1.0);
        }
        held
    }

    /// The plan of an integral point.
    pub(crate) fn plan(&self, point: &[f64]) -> Plan {
        let on = |column: Column| point[column] > 0.5;
        let mut plan = Plan::default();
        for t in 0..self.program.len() {
            for i in 0..t {
                if on(self.run[t][i]) {
                    plan.again.push(Again { position: t as Slot, round: 0, slot: i as Slot });
                }
                if on(self.copy_in[t][i]) {
                    plan.back.push((t as Slot, i as Slot));
                }
            }
            for i in 0..=t {
                if on(self.copy_out[t][i]) {
                    plan.out.push((t as Slot, i as Slot));
                }
            }
        }
        plan
    }
}
