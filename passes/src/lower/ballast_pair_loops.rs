//! `--ballast-pair-loops`: decides which stacks between a forward loop and its backward loop are kept, and rewrites both loops.
//!
//! Opened, a loop can be planned iteration by iteration, but compiles as slowly as it has iterations. Every iteration is the same problem, though: which
//! of the values that the forward loop stacks the backward loop computes again. It is solved once, and the loops stay loops.

use std::path::Path;

use ballast_core::cap::{CapSpec, ParseCapError};
use ballast_core::units::Bytes;
use ballast_dialects::attributes::PLAN;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::ir;
use ballast_dialects::passes::BallastPairLoopsOptions;
use ballast_dialects::remarks::{Kind, Remark};
use ballast_remat::stacks::{Kept, STACKS_VERSION, Slices, StacksFile};
use melior::ir::operation::{OperationLike, OperationRef};

use crate::files;
use crate::import::{self, Body, ImportOptions, Imported, Runs};
use crate::lower::ballast_inline::inline_calls;
use crate::lower::pairs::{Pair, Problem, Rewritten, body_of, pairs, rewrite};

/// Runs the pass.
///
/// # Errors
/// With the diagnostic that was emitted; then no loop has been rewritten.
pub(crate) fn run(module: OperationRef<'_, '_>, options: &BallastPairLoopsOptions) -> Result<(), Reported> {
    let fail = |text: String| Err(diagnostics::error(ir::place(module), &text));
    let cap: CapSpec = match options.cap.parse() {
        Ok(cap) => cap,
        Err(error @ ParseCapError { .. }) => return fail(error.to_string()),
    };
    if let Err(text) = files::check(module, [], files::named("plan-file", &options.plan_file)) {
        return fail(text);
    }
    inline_calls(module, Some(&options.function))?;
    let wanted = (!options.function.is_empty()).then(|| options.function.clone());
    let function = import::function(module, wanted.as_deref())?;
    let name = ir::string(function, "sym_name").unwrap_or_default();
    if function.has_attribute(PLAN) {
        let text = format!("'{name}' is planned: pair its loops before, or remove `{PLAN}`");
        return Err(diagnostics::error(function.location(), &text));
    }
    let [block] = ir::blocks(function)[..] else { return Ok(()) };
    let (mut pairs, singles) = pairs(block);
    for single in &singles {
        let text = format!("a loop stays as it is: {}", single.why);
        Remark::new(Kind::Missed, "LoopAlone", &name, text).emit(single.op.location());
    }
    let mut file = StacksFile { version: STACKS_VERSION, ..StacksFile::default() };
    if !pairs.is_empty() {
        let imported = import::read(module, &ImportOptions { function: wanted, ..ImportOptions::default() })?;
        pairs.retain(|pair| body_of(&imported, pair).is_some());
        file = decide(&name, &imported, &pairs, cap, options.time_limit)?;
    }
    if options.plan_file.is_empty() {
        return Ok(());
    }
    files::write_json(module, Path::new(&options.plan_file), &file)
        .or_else(|error| fail(format!("cannot write plan-file '{}': {error}", options.plan_file)))
}

/// Decides for all pairs under one cap, and rewrites them.
fn decide<'c: 'a, 'a>(
    name: &str,
    imported: &Imported<'c, 'a>,
    pairs: &[Pair<'c, 'a>],
    cap: CapSpec,
    seconds: f64,
) -> Result<StacksFile, Reported> {
    let problem = Problem::of(imported, pairs);
    let stacks = Bytes(problem.stack_bytes);
    let cap = match cap {
        // What costs nothing to make again is not kept.
        CapSpec::DeviceMemory => stacks,
        cap => cap.bytes(stacks, stacks),
    };
    let kept = choose(&problem.slices, cap, seconds).ok_or_else(|| {
        diagnostics::error(imported.function.location(), "no choice of stacks was found: raise time-limit")
    })?;
    if kept.bytes > cap.0 {
        let text =
            format!("stacks of {} are kept: no choice needs fewer, and the cap is {cap}", Bytes(kept.bytes));
        diagnostics::warning(imported.function.location(), &text);
    }
    let mut file = StacksFile {
        version: STACKS_VERSION,
        stack_bytes: stacks.0,
        kept_bytes: kept.bytes,
        pairs: pairs.len(),
        operations: imported.graph.ops.iter().map(|op| op.work.flops as f64).sum(),
        operations_once: once(imported),
        repeated_operations: problem.operations(&kept),
        bound: kept.bound,
        trips: 0.0,
        rewritten: 0,
    };
    let decisions = problem.decisions(&kept, pairs);
    let shares = problem.operations_by_pair(&kept, pairs.len());
    for ((pair, decision), operations) in pairs.iter().zip(&decisions).zip(&shares) {
        // Weighted by what runs again.
        let share = if file.repeated_operations > 0.0 {
            operations / file.repeated_operations
        } else {
            1.0 / pairs.len() as f64
        };
        file.trips += pair.trips as f64 * pair.times as f64 * share;
        let location = pair.forward.op.location();
        let Some(Rewritten { dropped, added, again }) = rewrite(pair, decision)? else {
            Remark::new(Kind::Missed, "StacksKept", name, "a pair of loops keeps all its stacks")
                .emit(location);
            continue;
        };
        file.rewritten += 1;
        Remark::new(Kind::Passed, "PairLoops", name, "the backward loop computes again what is not kept")
            .fact("trips", pair.trips)
            .fact("dropped", dropped)
            .fact("added", added)
            .fact("again", again)
            .fact("operations", *operations as u64)
            .emit(location);
    }
    Remark::new(Kind::Analysis, "Stacks", name, "stacks between loops")
        .fact("bytes", stacks.0)
        .fact("kept", kept.bytes)
        .emit(imported.function.location());
    Ok(file)
}

/// Operations of a program with the body of every loop once.
fn once(imported: &Imported<'_, '_>) -> f64 {
    let graph = &imported.graph;
    let all: f64 = graph.ops.iter().map(|op| op.work.flops as f64).sum();
    let less = |body: &Body<'_, '_>| graph.ops[body.of].work.flops as f64 - once(&body.imported);
    let loops = imported.bodies.iter().filter(|body| body.runs != Runs::InTurn);
    all - loops.map(less).sum::<f64>()
}

/// What is kept under a cap; where nothing keeps it, what needs the fewest bytes.
fn choose(slices: &Slices, cap: Bytes, seconds: f64) -> Option<Kept> {
    let under = |bytes: u64| slices.least_recomputation(bytes, seconds);
    under(cap.0).or_else(|| {
        let least = slices.least_bytes(seconds)?;
        Some(under(least.bytes).unwrap_or(least))
    })
}
