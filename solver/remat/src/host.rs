//! What is on the host alone, in the interval model of small programs whose copies run beside computation, or whose host memory has a cap.
//!
//! [`crate::link`] lets values wait without saying where. Here `stay_v_j` says that v is on the device while c_j runs and `back_v_j` that it comes back in interval j, as
//! where copies count in full; `host_v_j` says that it is on the host alone while c_j runs, to come back, and `gone_v_j` that it has been copied out by then, the
//! last of them by the end. Row families, for v swappable and made by then:
//! - `alone_v_j`: `host_v_j` + `stay_v_j` <= 1;
//! - `left_v_j`: `host_v_j` <= `stay_v_(j-1)` + `host_v_(j-1)` + `again_v_(j-1)`, from where it was left on the host;
//! - `back_v_j` <= `stay_v_j` + `host_v_j` + `again_v_j`;
//! - `gone_v_j` >= `host_v_j`, `gone_v_(j-1)` and `back_v_(j-1)`;
//! - `host_capacity_j`: bytes of `host_v_j` are at most the cap of the host's memory, which may hold values besides that are on the device too.
//!
//! A copy out begins once its value is made, and what is on the host alone while c_j runs has been copied before: device memory is there again once the
//! copy has ended, and c_j starts with the memory it needs. A copy back of interval j is issued, with memory of its own, after c_j has run, and has ended before the first run
//! r(v, j) that reads the value next. One direction carries one copy at a time, so that in any window of time those that begin and end in it take no longer than it is:
//! - `outward_u_k`: sum over v >= u of out(v) `gone_v_k` <= time from the end of u to the start of c_k;
//! - `inward_k_r`: sum over i >= k, r(v, i) <= r of in(v) `back_v_i` <= time from the end of c_k to the start of r,
//!
//! with time as in [`crate::link`]. These are all windows there are for jobs with a release and a deadline on one machine that may be interrupted (Horn, "Some
//! simple scheduling algorithms", Naval Research Logistics Quarterly 21, 1974). Plans have no copies that nobody needs: without them nothing gets later.

use ballast_core::memory::SwapModel;

use crate::model::{ABSENT, ALWAYS, Column, Model, WHOLE_CAP, name, single};
use crate::program::{Program, Slot};

/// Room for rounding in memory rows, in memory units.
const ROUNDING: f64 = 1e-7;
/// Nodes of a program up to which a model has these columns.
pub(crate) const DETAILED: usize = 100;

/// Columns of what is on the host, and the time of copies in units of the objective.
pub(crate) struct Host {
    /// Column of `host` per critical position and slot.
    host: Vec<Vec<u32>>,
    /// Column of `gone` per critical position and slot, and of the end.
    pub(crate) gone: Vec<Vec<u32>>,
    pub(crate) out_time: Vec<f64>,
    pub(crate) in_time: Vec<f64>,
}

/// The columns of an interval model beside those of the host.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub(crate) critical: &'a [Slot],
    pub(crate) stay: &'a [Vec<u32>],
    pub(crate) again: &'a [Vec<u32>],
    pub(crate) back: &'a [Vec<u32>],
}

impl Host {
    /// Adds the columns, and the rows that the model starts with; `time` is units of the objective per time of the program.
    pub(crate) fn new(
        program: &Program,
        swap: &SwapModel,
        beside: Beside<'_>,
        time: f64,
        model: &mut Model,
    ) -> Self {
        let Beside { critical, back, .. } = beside;
        let ends = critical.len();
        let mut host: Vec<Vec<u32>> = back.iter().map(|backs| vec![ABSENT; backs.len()]).collect();
        let mut gone: Vec<Vec<u32>> = host.clone();
        gone.push(vec![ABSENT; program.len()]);
        for v in 0..program.len() {
            let comes = |j: &usize| back[*j].get(v).is_some_and(|&back| back != ABSENT);
            let Some(last) = (0..ends).rev().find(comes) else { continue };
            for j in (0..=last).filter(comes) {
                host[j][v] = model.binary(name("host", v, j), 0.0) as u32;
                gone[j][v] = model.binary(name("gone", v, j), 0.0) as u32;
            }
            // What no run reads any more went out as long ago.
            let after = model.binary(name("gone", v, last + 1), 0.0) as u32;
            (last + 1..=ends).for_each(|j| gone[j][v] = after);
        }
        let copy = |of: &dyn Fn(u64) -> f64| -> Vec<f64> {
            program.size.iter().map(|&size| of(size as u64) * time).collect()
        };
        let (out_time, in_time) = (copy(&|bytes| swap.out_time(bytes)), copy(&|bytes| swap.in_time(bytes)));
        let host = Host { host, gone, out_time, in_time };
        for (j, hosts) in host.host.iter().enumerate() {
            for v in (0..hosts.len()).filter(|&v| hosts[v] != ABSENT) {
                host.rows(beside, (j, v), model);
            }
            if let Some(limit) = swap.host_capacity_bytes {
                host.capacity(program, j, limit, model);
            }
        }
        host
    }

    /// The row of the host's memory while a critical position runs.
    fn capacity(&self, program: &Program, j: usize, limit_bytes: u64, model: &mut Model) {
        let unit = WHOLE_CAP / (limit_bytes as f64).max(1.0);
        let columns = self.host[j].iter().enumerate().filter(|&(_, &column)| column != ABSENT);
        let terms: Vec<(Column, f64)> =
            columns.map(|(v, &column)| (column as Column, program.size[v] * unit)).collect();
        if !terms.is_empty() {
            model.at_most(single("host_capacity", j), terms, WHOLE_CAP + ROUNDING);
        }
    }

    /// The column of a value that is on the host alone while a critical position runs.
    pub(crate) fn column(&self, j: usize, v: usize) -> Option<Column> {
        let &column = self.host.get(j)?.get(v)?;
        (column != ABSENT).then_some(column as Column)
    }

    /// The rows of a value and a critical position.
    fn rows(&self, beside: Beside<'_>, (j, v): (usize, usize), model: &mut Model) {
        let Beside { critical, stay, again, back } = beside;
        let mut at_most = |family, least: u32, most: &[u32]| {
            let (mut terms, mut upper) = (vec![(least as Column, 1.0)], 0.0);
            for &column in most.iter().filter(|&&column| column != ABSENT) {
                match column {
                    ALWAYS => upper += 1.0,
                    column => terms.push((column as Column, -1.0)),
                }
            }
            model.at_most(name(family, v, j), terms, upper);
        };
        let (host, gone, later) = (self.host[j][v], self.gone[j][v], self.gone[j + 1][v]);
        at_most("back", back[j][v], &[stay[j][v], host, again[j][v]]);
        at_most("gone", host, &[gone]);
        at_most("gone", gone, &[later]);
        at_most("gone", back[j][v], &[later]);
        if let Some(i) = j.checked_sub(1).filter(|&i| critical[i] as usize >= v) {
            at_most("left", host, &[stay[i][v], self.host[i][v], again[i][v]]);
        }
        match stay[j][v] {
            ALWAYS => model.fix(host as Column, 0.0),
            stay => {
                let terms = vec![(host as Column, 1.0), (stay as Column, 1.0)];
                model.at_most(name("alone", v, j), terms, 1.0);
            }
        }
    }
}
