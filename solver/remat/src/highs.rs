//! HiGHS behind a small safe surface: pass a [`Model`], add rows, solve under a deadline, read the bound.
//!
//! HiGHS says "optimal" when it stops at a gap and may hand out zeros when a limit ends it without a
//! solution, so that neither status nor values are taken at their word: a solution counts only if HiGHS
//! calls it primal feasible, and bounds are read separately. Always one thread and a fixed seed: same model in,
//! same answer out. Interrupts go through HiGHS's callbacks, since its own time limit is looked at too rarely.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::ptr::null;

use ballast_core::dual_bound::{DualColumns, DualRow, dual_bound};
use ballast_core::file;
use ballast_core::limits::Deadline;
use highs_sys as sys;

use crate::model::{Column, Model, Name, Row};

#[cfg(test)]
mod odd;

/// Version of the HiGHS that is linked.
#[must_use]
pub fn version() -> String {
    // SAFETY: a text of HiGHS's own that lives as long as the program.
    unsafe { std::ffi::CStr::from_ptr(sys::Highs_version()) }.to_string_lossy().into_owned()
}

/// Does a model end in the last line of its format, LP or MPS?
fn is_whole(model: &Path) -> std::io::Result<bool> {
    let mut file = std::fs::File::open(model)?;
    let last = file.seek(SeekFrom::End(0))?.min(16);
    file.seek(SeekFrom::End(-(last as i64)))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(matches!(text.trim_end().lines().last(), Some("end" | "ENDATA")))
}

/// When to stop early.
pub(crate) struct Control<'a> {
    pub(crate) deadline: &'a Deadline,
    /// Called with the proven bound so far; true stops the search.
    pub(crate) enough: &'a dyn Fn(f64) -> bool,
    /// Called with each improving solution of a mixed-integer program; true stops the search, and the solution is
    /// among the answer's values.
    pub(crate) refuse: &'a dyn Fn(&[f64]) -> bool,
    /// Asked between nodes for a solution found elsewhere since it was last asked.
    pub(crate) better: &'a dyn Fn() -> Option<Vec<f64>>,
    /// Deterministic limit: branch-and-bound nodes.
    pub(crate) nodes: Option<u64>,
    /// Deterministic limit: simplex iterations of a linear program.
    pub(crate) iterations: Option<u64>,
}

impl<'a> Control<'a> {
    /// Until a deadline or until `enough`; no other limit.
    pub(crate) fn until(deadline: &'a Deadline, enough: &'a dyn Fn(f64) -> bool) -> Self {
        Control { deadline, enough, refuse: &|_| false, better: &|| None, nodes: None, iterations: None }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Solved within the tolerances.
    Optimal,
    /// There is no solution.
    Infeasible,
    /// A limit or the control stopped it.
    Stopped,
    /// HiGHS gave up; nothing it says is used.
    Failed,
}

/// What a solve gave.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// Column values, if HiGHS calls them feasible.
    pub(crate) values: Option<Vec<f64>>,
    /// Lower bound on the objective. Of a linear program it is made from the duals of the rows, and holds whatever the tolerances of HiGHS
    /// did; of a mixed-integer program it is what HiGHS says.
    pub(crate) bound: f64,
    /// Reduced cost of each column at the optimum of a linear program: those the bound was made with.
    pub(crate) reduced: Vec<f64>,
    /// Dual of each row there.
    pub(crate) duals: Vec<f64>,
    /// Branch-and-bound nodes, or simplex iterations of a linear program.
    pub(crate) work: u64,
}

impl Answer {
    /// Without values and duals that are no numbers.
    fn of_numbers(mut self) -> Self {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        self.values = self.values.filter(|values| finite(values));
        if !finite(&self.duals) {
            self.duals.clear();
        }
        self
    }

    /// Of a solve that HiGHS gave up.
    pub(crate) fn failed() -> Self {
        Answer {
            status: Status::Failed,
            values: None,
            bound: f64::NEG_INFINITY,
            reduced: Vec::new(),
            duals: Vec::new(),
            work: 0,
        }
    }
}

/// A model inside HiGHS.
pub(crate) struct Highs {
    raw: *mut c_void,
    columns: usize,
    rows: usize,
    /// Is the model solved without regard to integrality?
    relaxed: bool,
    /// How often the simplex method may ask whether to go on in the next linear program, about once per iteration; none: no linear program was solved yet.
    patience: Option<u64>,
}

struct Watch<'a> {
    control: &'a Control<'a>,
    bound: f64,
    /// Times the simplex method may still ask whether to go on.
    patience: u64,
    /// The solution that the control refused.
    refused: Option<Vec<f64>>,
    columns: usize,
}

/// # Safety
/// HiGHS calls it with its own valid structures and the `Watch` given to `Highs_setCallback`, which outlives
/// the run.
unsafe extern "C" fn watch(
    kind: c_int,
    _message: *const c_char,
    out: *const sys::HighsCallbackDataOut,
    input: *mut sys::HighsCallbackDataIn,
    data: *mut c_void,
) {
    if out.is_null() || input.is_null() || data.is_null() {
        return;
    }
    // SAFETY: see the contract of this function; checked for null above.
    let (out, input, watch) = unsafe { (&*out, &mut *input, &mut *data.cast::<Watch<'_>>()) };
    // A panic must not cross into C++.
    let stop = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        if kind == sys::kHighsCallbackSimplexInterrupt {
            watch.patience = watch.patience.saturating_sub(1);
        }
        if kind == sys::kHighsCallbackMipInterrupt && out.mip_dual_bound.is_finite() {
            watch.bound = watch.bound.max(out.mip_dual_bound);
        }
        if kind == sys::kHighsCallbackCallbackMipUserSolution {
            if !input.user_solution.is_null()
                && usize::try_from(input.user_solution_size) == Ok(watch.columns)
                && let Some(values) = (watch.control.better)()
                && values.len() == watch.columns
            {
                // SAFETY: HiGHS hands out an array of that many values to be filled; it checks the solution.
                unsafe {
                    std::ptr::copy_nonoverlapping(values.as_ptr(), input.user_solution, watch.columns);
                }
                input.user_has_solution = 1;
            }
            return false;
        }
        if kind == sys::kHighsCallbackMipImprovingSolution
            && watch.refused.is_none()
            && !out.mip_solution.is_null()
            && usize::try_from(out.mip_solution_size) == Ok(watch.columns)
        {
            // SAFETY: HiGHS hands out an array of that many values, alive during the call.
            let values = unsafe { std::slice::from_raw_parts(out.mip_solution, watch.columns) };
            if (watch.control.refuse)(values) {
                watch.refused = Some(values.to_vec());
            }
        }
        watch.patience == 0
            || watch.refused.is_some()
            || watch.control.deadline.over()
            || (watch.control.enough)(watch.bound)
    }))
    .unwrap_or(true);
    if stop {
        input.user_interrupt = 1;
    }
}

impl Highs {
    /// Passes a model; `relaxed` leaves out integrality. None if HiGHS refuses it.
    pub(crate) fn new(model: &Model, relaxed: bool) -> Option<Self> {
        // SAFETY: creates a HiGHS object, freed in drop.
        let raw = unsafe { sys::Highs_create() };
        if raw.is_null() {
            return None;
        }
        let mut highs =
            Highs { raw, columns: model.cost.len(), rows: model.rows.len(), relaxed, patience: None };
        highs.flag("output_flag", false)?;
        highs.int("threads", 1)?;
        highs.text("parallel", "off")?;
        highs.int("random_seed", 0)?;
        let rows = Sparse::of(&model.rows);
        let integrality: Vec<sys::HighsInt> =
            model.integer.iter().map(|&integer| c_int::from(integer)).collect();
        // SAFETY: all arrays are alive and as long as the counts say; HiGHS copies them.
        let status = unsafe {
            sys::Highs_passModel(
                raw,
                highs.columns as sys::HighsInt,
                model.rows.len() as sys::HighsInt,
                rows.index.len() as sys::HighsInt,
                0,
                ROW_WISE,
                NO_HESSIAN,
                MINIMISE,
                0.0,
                model.cost.as_ptr(),
                model.lower.as_ptr(),
                model.upper.as_ptr(),
                rows.lower.as_ptr(),
                rows.upper.as_ptr(),
                rows.start.as_ptr(),
                rows.index.as_ptr(),
                rows.value.as_ptr(),
                null(),
                null(),
                null(),
                if relaxed { null() } else { integrality.as_ptr() },
            )
        };
        (status != sys::STATUS_ERROR).then_some(highs)
    }

    /// Adds rows; the next solve starts from the last basis.
    pub(crate) fn add_rows(&mut self, rows: &[Row]) -> Option<()> {
        self.rows += rows.len();
        let rows = Sparse::of(rows);
        // SAFETY: as in `new`.
        let status = unsafe {
            sys::Highs_addRows(
                self.raw,
                rows.lower.len() as sys::HighsInt,
                rows.lower.as_ptr(),
                rows.upper.as_ptr(),
                rows.index.len() as sys::HighsInt,
                rows.start.as_ptr(),
                rows.index.as_ptr(),
                rows.value.as_ptr(),
            )
        };
        (status != sys::STATUS_ERROR).then_some(())
    }

    /// Offers a solution to start from; HiGHS drops it if it is not feasible.
    pub(crate) fn start(&mut self, values: &[f64]) {
        if values.len() == self.columns {
            // SAFETY: the array has one entry per column; null stands for "not given".
            unsafe {
                sys::Highs_setSolution(
                    self.raw,
                    values.as_ptr(),
                    std::ptr::null(),
                    std::ptr::null(),
                    std::ptr::null(),
                );
            }
        }
    }

    /// Gaps at which a mixed-integer solve may stop.
    pub(crate) fn gaps(&mut self, relative: f64, absolute: f64) -> Option<()> {
        self.double("mip_rel_gap", relative)?;
        self.double("mip_abs_gap", absolute)
    }

    /// Objective value at and above which a mixed-integer solve need not look: without a solution below it the
    /// model counts as infeasible.
    pub(crate) fn cutoff(&mut self, objective: f64) -> Option<()> {
        self.double("objective_bound", objective)
    }

    /// Fixes columns; the next solve starts from the last basis.
    pub(crate) fn fix(&mut self, columns: &[(Column, f64)]) -> Option<()> {
        columns.iter().try_for_each(|&(column, value)| self.between(column, value, value))
    }

    /// Sets the bounds of a column; the next solve starts from the last basis.
    pub(crate) fn between(&mut self, column: Column, lower: f64, upper: f64) -> Option<()> {
        // SAFETY: a live object and an index in range.
        let status = unsafe { sys::Highs_changeColBounds(self.raw, column as sys::HighsInt, lower, upper) };
        (status != sys::STATUS_ERROR).then_some(())
    }

    /// Solves a linear program; `model` is the one passed, with the rows added and the columns fixed since.
    ///
    /// From the basis of the last solve the simplex method may turn in a circle: where it takes much longer than any solve before, it begins anew.
    pub(crate) fn solve_linear(&mut self, model: &Model, control: &Control<'_>) -> Answer {
        let (mut answer, stuck) = self.solve_within(control, self.patience.unwrap_or(u64::MAX));
        if stuck {
            tracing::debug!(self.patience, "a linear program begins anew");
            // SAFETY: `raw` is a live HiGHS object.
            unsafe { sys::Highs_clearSolver(self.raw) };
            let spent = answer.work;
            answer = self.solve(control);
            answer.work += spent;
        }
        if answer.status == Status::Optimal {
            self.patience = self.patience.max(Some(LEAST_PATIENCE + PATIENCE * answer.work));
        }
        if answer.status == Status::Optimal && answer.duals.len() == model.rows.len() {
            let columns = DualColumns { cost: &model.cost, lower: &model.lower, upper: &model.upper };
            let rows = model.rows.iter().zip(&answer.duals).map(|(row, &dual)| DualRow {
                lower: row.lower,
                upper: row.upper,
                terms: &row.terms,
                dual,
            });
            let safe = dual_bound(columns, rows);
            (answer.bound, answer.reduced) = (safe.value, safe.reduced);
        } else if answer.status == Status::Optimal {
            return Answer::failed();
        }
        answer
    }

    /// Solves; of a linear program the answer has no bound.
    pub(crate) fn solve(&mut self, control: &Control<'_>) -> Answer {
        self.solve_within(control, u64::MAX).0
    }

    /// The same, and whether it ended because the simplex method asked so often whether to go on.
    fn solve_within(&mut self, control: &Control<'_>, patience: u64) -> (Answer, bool) {
        let mut set = || {
            let seconds = control.deadline.remaining_seconds();
            if seconds.is_finite() {
                // HiGHS counts run time from creation on.
                // SAFETY: `raw` is a live HiGHS object.
                let used = unsafe { sys::Highs_getRunTime(self.raw) };
                self.double("time_limit", used + seconds.max(0.001))?;
            }
            let clip = |limit: u64| c_int::try_from(limit).unwrap_or(c_int::MAX);
            if let Some(nodes) = control.nodes {
                self.int("mip_max_nodes", clip(nodes))?;
            }
            if let Some(iterations) = control.iterations {
                self.int("simplex_iteration_limit", clip(iterations))?;
            }
            Some(())
        };
        if set().is_none() {
            return (Answer::failed(), false);
        }
        let columns = self.columns;
        let mut state = Watch { control, bound: f64::NEG_INFINITY, patience, refused: None, columns };
        // SAFETY: `state` outlives the run and is read only after it.
        let status = unsafe {
            sys::Highs_setCallback(self.raw, Some(watch), (&raw mut state).cast());
            for kind in [
                sys::kHighsCallbackMipInterrupt,
                sys::kHighsCallbackSimplexInterrupt,
                sys::kHighsCallbackMipImprovingSolution,
                sys::kHighsCallbackCallbackMipUserSolution,
            ] {
                sys::Highs_startCallback(self.raw, kind);
            }
            let status = sys::Highs_run(self.raw);
            sys::Highs_setCallback(self.raw, None, std::ptr::null_mut());
            status
        };
        #[cfg(test)]
        let status = odd::run(status);
        if status == sys::STATUS_ERROR {
            return (Answer::failed(), false);
        }
        let Watch { bound: seen, refused, patience, .. } = state;
        let mut answer = self.answer(seen).unwrap_or_else(Answer::failed);
        if let Some(refused) = refused {
            answer.values = Some(refused);
            answer.status = Status::Stopped;
        }
        let stuck = patience == 0 && answer.status == Status::Stopped;
        (answer, stuck)
    }

    fn answer(&self, seen: f64) -> Option<Answer> {
        // SAFETY: `raw` is a live HiGHS object.
        let model_status = unsafe { sys::Highs_getModelStatus(self.raw) };
        #[cfg(test)]
        let model_status = odd::model(model_status);
        let status = match model_status {
            sys::MODEL_STATUS_OPTIMAL | sys::MODEL_STATUS_MODEL_EMPTY => Status::Optimal,
            sys::MODEL_STATUS_INFEASIBLE => Status::Infeasible,
            sys::MODEL_STATUS_REACHED_TIME_LIMIT
            | sys::MODEL_STATUS_REACHED_ITERATION_LIMIT
            | sys::MODEL_STATUS_REACHED_SOLUTION_LIMIT
            | sys::MODEL_STATUS_REACHED_INTERRUPT => Status::Stopped,
            _ => Status::Failed,
        };
        let (mut values, mut duals) = (None, Vec::new());
        if self.int_info("primal_solution_status")? == sys::SOLUTION_STATUS_FEASIBLE {
            let mut columns = vec![0.0; self.columns];
            let null = std::ptr::null_mut;
            let mut row_duals = vec![0.0; if self.relaxed { self.rows } else { 0 }];
            let wanted = if self.relaxed { row_duals.as_mut_ptr() } else { null() };
            // SAFETY: the arrays have one entry per column and per row; null stands for "not wanted".
            unsafe { sys::Highs_getSolution(self.raw, columns.as_mut_ptr(), null(), null(), wanted) };
            values = Some(columns);
            if self.relaxed && status == Status::Optimal {
                duals = row_duals;
            }
        }
        let (bound, work) = if self.relaxed {
            (f64::NEG_INFINITY, self.int_info("simplex_iteration_count")? as u64)
        } else {
            let mut nodes = 0i64;
            let key = CString::new("mip_node_count").ok()?;
            // SAFETY: the key is a C string and the target an i64.
            unsafe { sys::Highs_getInt64InfoValue(self.raw, key.as_ptr(), &raw mut nodes) };
            let bound = self.double_info("mip_dual_bound")?;
            #[cfg(test)]
            let bound = odd::bound(bound);
            (if bound.is_finite() { bound.max(seen) } else { seen }, nodes.max(0) as u64)
        };
        let answer = Answer { status, values, bound, reduced: Vec::new(), duals, work };
        #[cfg(test)]
        let answer = odd::answer(answer);
        Some(answer.of_numbers())
    }

    /// Writes the model, LP or MPS by extension, with the names given.
    pub(crate) fn write(model: &Model, path: &Path) -> Result<(), String> {
        let refused = || "HiGHS refuses the model".to_owned();
        let highs = Highs::new(model, false).ok_or_else(refused)?;
        let text = |text: String| CString::new(text).map_err(|_| "a name holds a zero byte".to_owned());
        for (column, name) in model.names.iter().enumerate() {
            let name = text(name.to_string())?;
            // SAFETY: a live object, an index in range, a C string.
            unsafe { sys::Highs_passColName(highs.raw, column as sys::HighsInt, name.as_ptr()) };
        }
        let mut families: HashMap<Name, usize> = HashMap::new();
        for (row, what) in model.rows.iter().enumerate() {
            // Several covers of one row, say. Readers want names that differ; no name ends in a dot and a number by itself.
            let count = families.entry(what.name).or_default();
            *count += 1;
            let name = if *count == 1 { what.name.to_string() } else { format!("{}.{count}", what.name) };
            let name = text(name)?;
            // SAFETY: as above.
            unsafe { sys::Highs_passRowName(highs.raw, row as sys::HighsInt, name.as_ptr()) };
        }
        // Written by name, and to a file that is there: HiGHS crashes on one it cannot open.
        let written = file::write_by_name(path, "lp", |partial| {
            let name = text(partial.to_string_lossy().into_owned()).map_err(std::io::Error::other)?;
            // SAFETY: a live object and a C string.
            let status = unsafe { sys::Highs_writeModel(highs.raw, name.as_ptr()) };
            // Its writer does not look whether there was room: what is whole has the last line of its format.
            if status == sys::STATUS_ERROR || !is_whole(partial)? {
                return Err(std::io::Error::other("HiGHS could not write it; the extension is .lp or .mps"));
            }
            Ok(())
        });
        written.map_err(|error: std::io::Error| error.to_string())
    }

    fn flag(&mut self, option: &str, value: bool) -> Option<()> {
        let option = CString::new(option).ok()?;
        // SAFETY: a live object and a C string.
        let status = unsafe { sys::Highs_setBoolOptionValue(self.raw, option.as_ptr(), c_int::from(value)) };
        (status != sys::STATUS_ERROR).then_some(())
    }

    fn int(&mut self, option: &str, value: c_int) -> Option<()> {
        let option = CString::new(option).ok()?;
        // SAFETY: a live object and a C string.
        let status = unsafe { sys::Highs_setIntOptionValue(self.raw, option.as_ptr(), value) };
        (status != sys::STATUS_ERROR).then_some(())
    }

    fn double(&mut self, option: &str, value: f64) -> Option<()> {
        let option = CString::new(option).ok()?;
        // SAFETY: a live object and a C string.
        let status = unsafe { sys::Highs_setDoubleOptionValue(self.raw, option.as_ptr(), value) };
        (status != sys::STATUS_ERROR).then_some(())
    }

    fn text(&mut self, option: &str, value: &str) -> Option<()> {
        let (option, value) = (CString::new(option).ok()?, CString::new(value).ok()?);
        // SAFETY: a live object and C strings.
        let status = unsafe { sys::Highs_setStringOptionValue(self.raw, option.as_ptr(), value.as_ptr()) };
        (status != sys::STATUS_ERROR).then_some(())
    }

    fn int_info(&self, key: &str) -> Option<c_int> {
        let key = CString::new(key).ok()?;
        let mut value = 0;
        // SAFETY: a live object, a C string, a target of the right type.
        let status = unsafe { sys::Highs_getIntInfoValue(self.raw, key.as_ptr(), &raw mut value) };
        (status != sys::STATUS_ERROR).then_some(value)
    }

    fn double_info(&self, key: &str) -> Option<f64> {
        let key = CString::new(key).ok()?;
        let mut value = 0.0;
        // SAFETY: a live object, a C string, a target of the right type.
        let status = unsafe { sys::Highs_getDoubleInfoValue(self.raw, key.as_ptr(), &raw mut value) };
        (status != sys::STATUS_ERROR).then_some(value)
    }
}

impl Drop for Highs {
    fn drop(&mut self) {
        // SAFETY: created in `new`, freed once.
        unsafe { sys::Highs_destroy(self.raw) };
    }
}

/// Patience with a linear program, in iterations of the longest one before it: from the last basis a tenth of them is usual.
const PATIENCE: u64 = 3;
const LEAST_PATIENCE: u64 = 5_000;
const ROW_WISE: sys::HighsInt = 2;
/// The format of a quadratic objective, which no model here has.
const NO_HESSIAN: sys::HighsInt = 1;
const MINIMISE: sys::HighsInt = 1;

/// Rows as HiGHS wants them.
struct Sparse {
    lower: Vec<f64>,
    upper: Vec<f64>,
    start: Vec<sys::HighsInt>,
    index: Vec<sys::HighsInt>,
    value: Vec<f64>,
}

impl Sparse {
    fn of(rows: &[Row]) -> Self {
        let mut sparse = Sparse {
            lower: Vec::new(),
            upper: Vec::new(),
            start: Vec::new(),
            index: Vec::new(),
            value: Vec::new(),
        };
        for row in rows {
            sparse.start.push(sparse.index.len() as sys::HighsInt);
            sparse.lower.push(row.lower);
            sparse.upper.push(row.upper);
            for &(column, factor) in &row.terms {
                sparse.index.push(column as sys::HighsInt);
                sparse.value.push(factor);
            }
        }
        sparse
    }
}
