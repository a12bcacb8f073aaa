//! Reading a program to plan it: calls inlined, gradients written out and counted loops opened where as one op each they would stand in the plan's way.

use ballast_core::cap::CapSpec;
use ballast_core::device::Cluster;
use ballast_core::graph::OpId;
use ballast_core::units::Bytes;
use ballast_dialects::attributes::{self as plan_ir, PLAN};
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::Reported;
use ballast_dialects::ir;
use ballast_dialects::operations::{erase, move_before};
use ballast_dialects::passes;
use ballast_dialects::remarks::Kind;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};

use crate::annotations;
use crate::annotations::settings::PlanSettings;
use crate::backend::xla::{barriers, products, updates};
use crate::import;
use crate::lower::ballast_depthwise_gradients::Depthwise;
use crate::lower::ballast_gather_gradients::{Picked, take_sums_in};
use crate::lower::ballast_inline::inline_calls;
use crate::lower::ballast_pool_gradients::Pool;
use crate::lower::ballast_unroll::{is_loop, open_in_function};
use crate::lower::ballast_wide_products::{has_narrow_products, join_copies, say, widen_in};
use crate::lower::gradients::{has_gradients, write_out_in};
use crate::lower::unroll::{Budget, Iterations, Nested, carried_bytes, open_in_block};
use crate::parts::LONG;
use crate::program::{Chosen, Loops, Program, Source, cluster, options, peak_on_one, read, read_quietly};

/// Inlines the calls of private helpers, writes out gradients and opens loops that stand in a plan's way, and reads the program, which has something to plan.
/// With it, what it was before each of these that was done, the earliest first.
///
/// # Errors
/// With the diagnostic that was emitted.
pub(crate) fn read_for_planning<'c: 'a, 'a>(
    module: OperationRef<'c, 'a>,
    source: &Source<'_>,
) -> Result<(Program<'c, 'a>, Vec<Before<'c>>), Reported> {
    let cluster = cluster(module, source.devices)?;
    inline_calls(module, Some(source.function))?;
    let widened = widen_products(module, source, &cluster)?;
    let source = &widened.map_or(*source, |widened| widened.like(source));
    let written = write_gradients_out(module, source, &cluster)?;
    let source = &written.as_ref().map_or(*source, |written| written.was.like(source));
    let opened = open_loops(module, source, &cluster)?;
    let source = &opened.as_ref().map_or(*source, |opened| opened.was.like(source));
    let is_opened = opened.is_some();
    if widened.is_some() && is_opened {
        let wanted = (!source.function.is_empty()).then_some(source.function);
        join_copies(import::function(module, wanted)?)?;
    }
    let before: Vec<Before<'c>> = written.into_iter().chain(opened).collect();
    let whole_peak = widened.or_else(|| before.first().map(|before| before.was)).map(|was| was.whole_peak);
    prepare(module, source, &cluster.0)?;
    let program = read(module, source, cluster)?;
    let whole_peak = whole_peak.or(program.whole_peak);
    let program = Program { whole_peak, ..program };
    if program.imported.graph.planned().next().is_none() {
        let text = "the function has no op to plan: it returns arguments, constants and views of them; leave it out, or name \
                    another with function=";
        return Err(program.error(None, text));
    }
    // Those that could not be opened have been named.
    let whole: Vec<_> =
        program.imported.ops.iter().copied().filter(|&op| is_loop(op) && !is_opened).collect();
    let faster = if whole.is_empty() { None } else { faster_opened(module, source, &program)? };
    for op in whole {
        let text = "a loop is planned as one op; --ballast-unroll before this pass opens those whose iterations are known";
        let mut remark = program.remark(Kind::Missed, "LoopWhole", text).fact("bytes", carried_bytes(op));
        if let Some(seconds) = faster {
            remark = remark
                .fact("least_seconds_of_program", program.least_tmax_seconds())
                .fact("least_seconds_opened", seconds);
        }
        remark.emit(ir::place(op));
    }
    Ok((program, before))
}

/// Puts ops as the planner sees them best.
fn prepare(module: OperationRef<'_, '_>, source: &Source<'_>, cluster: &Cluster) -> Result<(), Reported> {
    barriers::split(module)?;
    products::exchange(module)?;
    // On several devices the order is what they are cut in, too.
    if cluster.devices.len() == 1 {
        updates::hasten(module, &options(source))?;
    }
    Ok(())
}

/// What a program on one device takes at least with its loops opened, where that is less than with loops as one op each: opened they are other ops, for which
/// no bound of the program as it stands holds.
fn faster_opened(
    module: OperationRef<'_, '_>,
    source: &Source<'_>,
    program: &Program<'_, '_>,
) -> Result<Option<f64>, Reported> {
    if program.cluster.devices.len() > 1 || !matches!(source.loops, Loops::ForTime) {
        return Ok(None);
    }
    let most_ops = passes::BallastUnrollOptions::default().max_ops;
    let cluster = (program.cluster.clone(), program.cluster_is_new);
    let opened = least_tmax_opened(module, source, &cluster, most_ops)?;
    Ok(opened.filter(|&seconds| seconds < program.least_tmax_seconds()))
}

/// A program before its loops were opened, or its gradients written out.
pub(crate) struct Before<'c> {
    /// A copy of it, without an earlier plan.
    module: Module<'c>,
    was: Was,
    /// What was done to it then.
    pub(crate) done: &'static str,
}

impl<'c> Before<'c> {
    /// Of a module as it is now; none where it cannot be copied.
    fn of(
        module: OperationRef<'c, '_>,
        program: &Program<'_, '_>,
        whole_peak: Bytes,
        done: &'static str,
    ) -> Option<Self> {
        let module = Module::from_operation(Mapping::new().clone_op(&module))?;
        Some(Before { module, was: Was::of(program, whole_peak), done })
    }

    /// The module it stands in.
    pub(crate) fn module(&self) -> OperationRef<'c, '_> {
        self.module.as_operation()
    }

    /// Reads it as it was, to be planned with nothing opened or written out.
    ///
    /// # Errors
    /// With the diagnostic that was emitted.
    pub(crate) fn read<'a>(&'a self, source: &Source<'_>) -> Result<Program<'c, 'a>, Reported>
    where
        'c: 'a,
    {
        let source = Source { loops: Loops::Whole, gradients: None, ..self.was.like(source) };
        let cluster = cluster(self.module(), source.devices)?;
        prepare(self.module(), &source, &cluster.0)?;
        Ok(read_quietly(self.module(), &source, cluster)?.0)
    }

    /// Puts its planned function into another module, in the place of the one of the same name. References to ops of that one must not be used after this, those
    /// to ops of this one stay good.
    ///
    /// # Errors
    /// With the diagnostic that was emitted.
    pub(crate) fn take_back(
        &self,
        program: &Program<'_, '_>,
        into: OperationRef<'_, '_>,
    ) -> Result<(), Reported> {
        let changed = import::function(into, Some(&program.imported.graph.name))?;
        move_before(program.imported.function, changed);
        erase(changed);
        Ok(())
    }
}

/// What is kept of a program that others are written for: an earlier plan is gone, and what it was made with stays.
#[derive(Clone, Copy)]
struct Was {
    /// Its peak on one device.
    whole_peak: Bytes,
    /// What the back end stores, as options or an earlier plan said.
    fusion: passes::FusionModel,
}

impl Was {
    fn of(program: &Program<'_, '_>, whole_peak: Bytes) -> Self {
        Was { whole_peak, fusion: program.storage.model() }
    }

    /// Where to read the program from now. A share is one of the peak before.
    fn like<'o>(self, source: &Source<'o>) -> Source<'o> {
        let storage = match source.storage {
            Chosen::Options(_, counts, gaps) => Chosen::Options(self.fusion, counts, gaps),
            Chosen::Plan => Chosen::Plan,
        };
        let in_bytes = |cap: CapSpec| match cap {
            CapSpec::Share(_) => CapSpec::Absolute(cap.bytes(self.whole_peak, self.whole_peak)),
            _ => cap,
        };
        let loops = match source.loops {
            Loops::ForCap(cap) => Loops::ForCap(in_bytes(cap)),
            other => other,
        };
        Source { storage, loops, within: source.within.map(in_bytes), ..*source }
    }
}

/// Has products of 16-bit floats computed in single precision, as XLA's CPU compiler computes them, where the program is over the cap with the copies that this
/// takes; what it was like with them, if it was done.
fn widen_products(
    module: OperationRef<'_, '_>,
    source: &Source<'_>,
    cluster: &(Cluster, bool),
) -> Result<Option<Was>, Reported> {
    let Some(cap) = source.products else { return Ok(None) };
    let has_any = import::functions(module).into_iter().any(|(_, function)| has_narrow_products(function));
    if cluster.0.devices.len() > 1 || !has_any {
        return Ok(None);
    }
    let program = read_quietly(module, source, cluster.clone())?.0;
    let function = program.imported.function;
    let earlier = annotations::read_plan(&program.imported);
    if program.storage.model() != passes::FusionModel::XlaCpu
        || !has_narrow_products(function)
        || earlier.as_ref().is_some_and(|plan| !is_plain(plan, &program))
    {
        return Ok(None);
    }
    let Some(copy) = Module::from_operation(Mapping::new().clone_op(&module)) else { return Ok(None) };
    let wide = import::function(copy.as_operation(), Some(&program.imported.graph.name))?;
    ir::remove(wide, PLAN);
    widen_in(wide)?;
    let peak = peak_as_it_is(&read_quietly(copy.as_operation(), source, cluster.clone())?.0);
    if cap.bytes(peak, program.cluster.devices[0].memory) >= peak {
        return Ok(None);
    }
    if earlier.is_some() {
        annotations::clear(&program.imported, &[]);
    }
    say(&program.imported.graph.name, function, widen_in(function)?);
    Ok(Some(Was::of(&program, peak)))
}

/// Writes out the gradients for which XLA's CPU compiler holds far more than they come to, where the program is over the cap with them as they are; what the program
/// was like before, if it was done.
fn write_gradients_out<'c>(
    module: OperationRef<'c, '_>,
    source: &Source<'_>,
    cluster: &(Cluster, bool),
) -> Result<Option<Before<'c>>, Reported> {
    let Some(cap) = source.gradients else { return Ok(None) };
    let has_any = |function: OperationRef<'_, '_>| {
        has_gradients::<Pool>(function)
            || has_gradients::<Depthwise>(function)
            || has_gradients::<Picked>(function)
    };
    if cluster.0.devices.len() > 1
        || !import::functions(module).into_iter().any(|(_, function)| has_any(function))
    {
        return Ok(None);
    }
    let program = read_quietly(module, source, cluster.clone())?.0;
    let function = program.imported.function;
    let is_written_for = program.storage.model() == passes::FusionModel::XlaCpu;
    let earlier = annotations::read_plan(&program.imported);
    if !is_written_for || !has_any(function) || earlier.as_ref().is_some_and(|plan| !is_plain(plan, &program))
    {
        return Ok(None);
    }
    let peak = peak_as_it_is(&program);
    if cap.bytes(peak, program.cluster.devices[0].memory) >= peak {
        return Ok(None);
    }
    if earlier.is_some() {
        annotations::clear(&program.imported, &[]);
    }
    let Some(before) = Before::of(module, &program, peak, "gradients written out") else { return Ok(None) };
    let name = &program.imported.graph.name;
    write_out_in::<Pool>(name, function)?;
    write_out_in::<Depthwise>(name, function)?;
    take_sums_in(function)?;
    write_out_in::<Picked>(name, function)?;
    Ok(Some(before))
}

/// The peak of a program on one device with every value kept until it is read last.
fn peak_as_it_is(program: &Program<'_, '_>) -> Bytes {
    program
        .whole_peak
        .unwrap_or_else(|| peak_on_one(&program.imported.graph, &program.costs, &program.cluster))
}

/// Opens the counted loops of the function to be planned where one of them as one op would stand in the plan's way; what the program was
/// like before, if it was done.
///
/// A plan that puts everything on one device, whatever its memory, is forgotten for it: the pass that made it knew no cap.
fn open_loops<'c>(
    module: OperationRef<'c, '_>,
    source: &Source<'_>,
    cluster: &(Cluster, bool),
) -> Result<Option<Before<'c>>, Reported> {
    let again = matches!(source.loops, Loops::ForCap(_)) && cluster.0.devices.len() == 1;
    let looped = |function: OperationRef<'_, '_>| {
        (again || !function.has_attribute(PLAN)) && ir::nested(function).into_iter().any(is_loop)
    };
    let open = !matches!(source.loops, Loops::Whole);
    if !open || !import::functions(module).into_iter().any(|(_, function)| looped(function)) {
        return Ok(None);
    }
    let program = read_quietly(module, source, cluster.clone())?.0;
    let loops: Vec<OpId> =
        program.imported.graph.planned().filter(|&op| is_loop(program.imported.ops[op])).collect();
    if !looped(program.imported.function) || loops.is_empty() {
        return Ok(None);
    }
    let earlier = annotations::read_plan(&program.imported);
    if earlier.as_ref().is_some_and(|earlier| !is_plain(earlier, &program)) {
        return Ok(None);
    }
    let peak = peak_as_it_is(&program);
    let most_ops = passes::BallastUnrollOptions::default().max_ops;
    let in_the_way = match source.loops {
        Loops::Whole => false,
        Loops::ForTime => {
            let work: f64 = program.imported.graph.planned().map(|op| program.costs.least_seconds(op)).sum();
            let share = work / program.cluster.devices.len() as f64;
            // Many short ones stand in the way as a long one does.
            program.cluster.devices.len() > 1
                && loops.iter().map(|&op| program.costs.least_seconds(op)).sum::<f64>() > LONG * share
                && least_tmax_opened(module, source, cluster, most_ops)?
                    .is_some_and(|seconds| seconds < program.least_tmax_seconds())
        }
        Loops::ForCap(cap) => cap.bytes(peak, program.cluster.devices[0].memory) < peak,
    };
    if !in_the_way {
        return Ok(None);
    }
    if earlier.is_some() {
        annotations::clear(&program.imported, &[]);
    }
    let Some(before) = Before::of(module, &program, peak, "loops opened") else { return Ok(None) };
    // On one device they are opened for the memory of each value, which fusion across iterations only helps.
    let iterations = if program.cluster.devices.len() > 1 { Iterations::Apart } else { Iterations::Joined };
    let budget = Budget::new(most_ops, iterations);
    open_in_function(&program.imported.graph.name, program.imported.function, Nested::Outer, budget)?;
    Ok(Some(before))
}

/// What the slowest device takes at least with the loops opened, tried on a copy: ops of short iterations may take longer one by one than
/// their loop does as one op.
fn least_tmax_opened(
    module: OperationRef<'_, '_>,
    source: &Source<'_>,
    cluster: &(Cluster, bool),
    most_ops: u64,
) -> Result<Option<f64>, Reported> {
    let Some(copy) = Module::from_operation(Mapping::new().clone_op(&module)) else { return Ok(None) };
    let wanted = (!source.function.is_empty()).then_some(source.function);
    let function = import::function(copy.as_operation(), wanted)?;
    let [block] = ir::blocks(function)[..] else { return Ok(None) };
    open_in_block(
        ir::context(function),
        block,
        Nested::Outer,
        &mut Budget::new(most_ops, Iterations::Apart),
    )?;
    let program = read_quietly(copy.as_operation(), source, cluster.clone())?.0;
    Ok(Some(program.least_tmax_seconds()))
}

/// Is an earlier plan of the program as it is, and made with nothing that opening its loops would lose?
fn is_plain(earlier: &plan_ir::Plan<'_>, program: &Program<'_, '_>) -> bool {
    let PlanSettings { held, inside, workspace, pipeline, .. } = PlanSettings::of(earlier);
    let measured = !(held.is_empty() && inside.is_empty() && workspace.is_empty());
    program.is_as_planned(earlier) && !measured && pipeline.is_none()
}
