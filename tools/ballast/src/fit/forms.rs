//! Forms of a program that `ballast fit` plans: as it is, with its loops opened or paired, the body of a loop alone, without its author's checkpoints, with
//! gradients of gathers, of depthwise kernels and of max pooling written out; products of 16-bit floats in single precision.

use std::path::{Path, PathBuf};
use std::process::Command;

use ballast_remat::stacks::StacksFile;
use serde::Serialize;

use super::Loops;
use super::deadline::Deadline;
use super::planner::{BOUNDLESS, Planner, predicted};
use crate::failure::{Failure, note};
use crate::output::read_text;
use crate::run::Measured;
use crate::run::tools::beside;
use crate::run::xla::{self, Job};

/// A form of the program that plans start from, and what XLA takes for it unplanned.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Form {
    /// What was done to the program.
    pub(super) name: String,
    #[serde(skip)]
    pub(super) file: PathBuf,
    /// Function that is planned: what the command was told, or the body of a loop.
    #[serde(skip)]
    pub(super) function: String,
    /// What is held around a loop whose body is planned; zero where the program is.
    pub(super) around_bytes: u64,
    /// What XLA takes.
    pub(super) measured_bytes: u64,
    /// Operations, as XLA counts them: those of a loop's body once.
    pub(super) flops: Option<f64>,
    /// Operations with loops counted as often as they run, over those that XLA counts.
    #[serde(skip)]
    pub(super) scale: f64,
    /// How many times the operations of the best plan of another form one of this form may take and be as good.
    #[serde(skip)]
    pub(super) margin: f64,
}

impl Form {
    /// Operations with loops counted as often as they run, as near as that is known.
    pub(super) fn compared_flops(&self) -> Option<f64> {
        self.flops.map(|flops| flops * self.scale)
    }

    /// What is planned of which file.
    pub(super) fn planned(&self) -> (&Path, &str) {
        (&self.file, &self.function)
    }

    /// Are the stacks between its loops what is planned?
    pub(super) fn is_paired(&self) -> bool {
        self.name == PAIRED
    }

    /// What it is called after something more was done to it.
    fn with(&self, done: &str) -> String {
        if self.function == BODY_FUNCTION { format!("{BODY}-{done}") } else { done.to_owned() }
    }

    /// The scale of another form that runs the same operations.
    fn like(&self, flops: Option<f64>) -> f64 {
        self.compared_flops().zip(flops).map_or(self.scale, |(all, once)| all / once.max(1.0))
    }
}

/// The program as it was given.
pub(super) const AS_IS: &str = "as-is";
/// Its counted loops replaced by their iterations.
const OPENED: &str = "loops-opened";
/// Margin of plans whose loops are still loops over those that open them. What is opened compiles several times as long, once for every iteration, and is as
/// much larger as a program.
pub(super) const LOOPS: f64 = 1.1;
/// Unless it has at most so many times the ops: then it compiles in about as many times the time, and the better plan is the better one.
const SHORT: usize = 2;
/// Its loops as they are, what one stacks for another kept or computed again.
pub(super) const PAIRED: &str = "loop-pairs";
/// The body of a loop as a function, which is planned.
const BODY: &str = "loop-body";
/// The name of that function.
const BODY_FUNCTION: &str = "ballast_body";
/// Loops inside one another whose bodies are looked at, at most.
const MOST_DEPTH: u64 = 8;
/// What keeps apart what its author computes twice.
const BARRIER: &str = "stablehlo.optimization_barrier";
/// What its author decided to compute twice computed once, loops opened: where barriers are, as `jax.checkpoint` writes them.
const REMOVED: &str = "checkpoints-removed";
/// Its gradients of gathers as selections, of depthwise kernels as sums over elementwise products, of max pooling as elementwise ops: all hold less beside
/// their operands and results; loops opened, checkpoints removed.
const WRITTEN_OUT: [WrittenOut; 4] = [
    WrittenOut {
        form: "gather-gradients",
        // What JAX has as functions of their own hand such a gradient on.
        before: &["--ballast-inline"],
        flag: "--ballast-gather-gradients",
        has: |text| scatters(text) > 0,
        computes_less: false,
        fewer: |before, after| scatters(after) < scatters(before),
    },
    WrittenOut {
        form: "depthwise-gradients",
        before: &[],
        flag: "--ballast-depthwise-gradients",
        has: |text| batch_groups(text) > 0,
        computes_less: true,
        fewer: |before, after| batch_groups(after) < batch_groups(before),
    },
    WrittenOut {
        form: "pool-gradients",
        before: &[],
        flag: "--ballast-pool-gradients",
        has: |text| selects(text) > 0,
        computes_less: true,
        fewer: |before, after| selects(after) < selects(before),
    },
    WrittenOut {
        form: "wide-products",
        before: &[],
        flag: "--ballast-wide-products",
        has: |text| narrow_products(text) > 0,
        computes_less: false,
        fewer: |before, after| narrow_products(after) < narrow_products(before),
    },
];

/// Ops that a pass writes out.
struct WrittenOut {
    form: &'static str,
    /// Passes that run first.
    before: &'static [&'static str],
    flag: &'static str,
    /// Does a program have any?
    has: fn(&str) -> bool,
    /// Does the program compute less with them written out?
    computes_less: bool,
    /// Are there fewer of them after the pass than before?
    fewer: fn(&str, &str) -> bool,
}

/// Ops of a program in generic form.
fn ops(text: &str) -> usize {
    text.matches("\"stablehlo.").count()
}

fn scatters(text: &str) -> usize {
    text.matches("\"stablehlo.scatter\"").count()
}

fn selects(text: &str) -> usize {
    text.matches("stablehlo.select_and_scatter").count()
}

/// Products and convolutions that make 16-bit floats.
fn narrow_products(text: &str) -> usize {
    let is_product =
        |line: &&str| line.contains("\"stablehlo.dot") || line.contains("\"stablehlo.convolution\"");
    let makes_narrow = |line: &&str| line.ends_with("bf16>") || line.ends_with("xf16>");
    text.lines().filter(is_product).filter(makes_narrow).count()
}

/// Convolutions in more than one batch group.
fn batch_groups(text: &str) -> usize {
    let counts = text.split("batch_group_count = ").skip(1);
    counts.filter(|rest| !(rest.starts_with("1 ") || rest.starts_with("1,"))).count()
}

/// The forms of a program. Under a time limit those beside paired loops are made once they are needed: plans of paired loops take seconds, and opened loops may
/// compile for minutes.
pub(super) struct Forms<'a> {
    maker: Maker<'a>,
    /// Those that were made so far, those to plan first last.
    pub(super) made: Vec<Form>,
    /// Is that all?
    pub(super) are_all: bool,
    /// Can it be told without the other forms that a plan of paired loops is good enough?
    pub(super) pairs_may_do: bool,
    opened: Option<Opened>,
    stacks: Option<StacksFile>,
}

/// A program with its counted loops opened.
struct Opened {
    file: PathBuf,
    /// Has it at most [`SHORT`] times the ops?
    is_short: bool,
}

impl<'a> Forms<'a> {
    /// The program as it is, and what is planned first.
    ///
    /// # Errors
    /// A missing tool, a file that cannot be read or written.
    pub(super) fn of(maker: Maker<'a>, unplanned: &Measured) -> Result<Self, Failure> {
        let args = maker.planner.args;
        let as_is = Form {
            name: AS_IS.to_owned(),
            file: args.program.clone(),
            function: args.function.clone(),
            around_bytes: 0,
            measured_bytes: args.cap_counts.of(unplanned),
            flops: unplanned.flops,
            scale: 1.0,
            margin: 1.0,
        };
        let text = read_text(&as_is.file)?;
        let opened = maker.opened(&as_is)?;
        let stacks = maker.stacks(&as_is)?;
        let pairs_may_do = opened.as_ref().is_none_or(|opened| !opened.is_short) && !computes_less(&text);
        let is_hurried = maker.deadline.0.is_some() && stacks.is_some();
        let mut forms = Forms { maker, made: vec![as_is], are_all: false, pairs_may_do, opened, stacks };
        // Another form may keep the cap as it is, which comes before any plan: without a limit that is looked at first.
        if is_hurried {
            forms.pair();
        } else {
            forms.complete()?;
        }
        Ok(forms)
    }

    /// Makes all that are not made yet.
    ///
    /// # Errors
    /// A missing tool, a file that cannot be read or written.
    pub(super) fn complete(&mut self) -> Result<(), Failure> {
        let as_is = Form { scale: 1.0, ..self.made[0].clone() };
        self.made = self.maker.rewritten(as_is, self.opened.as_ref())?;
        // Only what a body holds of its own can be saved in it.
        if let Some(body) = self.maker.body(&self.made[0])? {
            let opened = self.maker.opened(&body)?;
            self.made.extend(self.maker.rewritten(body, opened.as_ref())?);
        }
        self.pair();
        self.are_all = true;
        Ok(())
    }

    /// Adds the form in which loops are paired, if there is one. Loops stay loops in it, which compiles faster than opened ones.
    fn pair(&mut self) {
        let Some(stacks) = &self.stacks else { return };
        if self.made[0].scale <= 1.0 && stacks.operations_once > 0.0 {
            // No loop was opened: how often they run is known from the program alone.
            let scale = stacks.operations / stacks.operations_once;
            let whole = self.made.iter_mut().filter(|form| form.function != BODY_FUNCTION);
            whole.for_each(|form| form.scale = scale);
        }
        // How much more a plan may compute whose loops stay loops, beside what opens them.
        let is_short = self.opened.as_ref().is_some_and(|opened| opened.is_short);
        let beside_short = is_short && self.made.iter().any(|form| form.name == OPENED);
        let as_is = self.made[0].clone();
        self.made.push(Form {
            name: PAIRED.to_owned(),
            around_bytes: as_is.measured_bytes.saturating_sub(stacks.stack_bytes),
            margin: if beside_short { 1.0 } else { LOOPS },
            ..as_is
        });
    }
}

/// May another form of a program compute much less than it does, so that its plans are good or not beside that one?
fn computes_less(text: &str) -> bool {
    text.contains(BARRIER) || WRITTEN_OUT.iter().any(|ops| ops.computes_less && (ops.has)(text))
}

/// Makes forms.
pub(super) struct Maker<'a> {
    /// Compiles forms in the time that one may take.
    pub(super) planner: Planner<'a>,
    pub(super) folder: &'a Path,
    /// Most bytes XLA may take for a plan.
    pub(super) cap_bytes: u64,
    pub(super) deadline: Deadline,
}

impl<'a> Maker<'a> {
    /// How a form is made now, in the time that is left.
    fn hurried(&self) -> Planner<'a> {
        let job = self.planner.job;
        Planner { job: Job { limit: self.deadline.clip(job.limit), ..job }, ..self.planner }
    }

    /// What comes of making a form; nothing where the time limit is over first.
    fn in_time<T>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        if !self.deadline.is_over() {
            match make() {
                Err(_) if self.deadline.is_over() => {}
                made => return made,
            }
        }
        left_out(name, TIME_IS_OVER);
        Ok(None)
    }

    /// A form, and it rewritten in every way that applies, one after the other; first with its loops opened, where they can be.
    fn rewritten(&self, first: Form, opened: Option<&Opened>) -> Result<Vec<Form>, Failure> {
        let mut forms = vec![first];
        if let Some(opened) = self.loops_opened(&forms[0], opened)? {
            if forms[0].function == BODY_FUNCTION {
                // Loops inside the body, which the body as one op each would hold whole.
                let scale = forms[0].like(opened.flops);
                forms = vec![Form { scale, ..opened }];
            } else {
                forms[0].scale = opened.like(forms[0].flops);
                forms.push(opened);
            }
        }
        forms.extend(self.checkpoints_removed(&forms[forms.len() - 1])?);
        for ops in &WRITTEN_OUT {
            forms.extend(self.written_out(ops, &forms[forms.len() - 1])?);
        }
        Ok(forms)
    }

    /// Rewrites a program with passes, into a file named after what is made.
    fn run(&self, of: &Form, name: &str, passes: &[&str]) -> Result<PathBuf, Failure> {
        let file = self.folder.join(name).with_extension("mlir");
        let mut run = Command::new(beside("ballast-opt")?);
        run.arg(&of.file).arg("--allow-unregistered-dialect").args(passes).arg("-o").arg(&file);
        self.hurried().driven(&mut run)?;
        Ok(file)
    }

    /// The program with its counted loops opened, where it has any: to a planner a loop is one op. It is not compiled yet.
    fn opened(&self, of: &Form) -> Result<Option<Opened>, Failure> {
        let loops = |text: &str| text.matches("stablehlo.while").count();
        let may_open = self.planner.args.loops != Loops::Stay || of.function == BODY_FUNCTION;
        if !may_open || loops(&read_text(&of.file)?) == 0 {
            return Ok(None);
        }
        let name = of.with(OPENED);
        self.in_time(&name, || {
            let inlined = read_text(&self.run(of, "inlined", &["--ballast-inline"])?)?;
            let body = if of.function == BODY_FUNCTION { BODY_FUNCTION } else { "" };
            let file = self.run(of, &name, &[&format!("--ballast-unroll=function='{body}'")])?;
            let text = read_text(&file)?;
            if loops(&text) >= loops(&inlined) {
                if body.is_empty() {
                    tracing::warn!(
                        "no loop of {} can be opened: each is planned as one op, and holds all it carries",
                        self.planner.given.display()
                    );
                }
                return Ok(None);
            }
            Ok(Some(Opened { file, is_short: ops(&text) <= SHORT * ops(&inlined) }))
        })
    }

    /// The form whose loops are opened, where XLA can compile it.
    fn loops_opened(&self, of: &Form, opened: Option<&Opened>) -> Result<Option<Form>, Failure> {
        let Some(Opened { file, .. }) = opened else { return Ok(None) };
        let name = of.with(OPENED);
        self.in_time(&name, || {
            let opened = self.compiled(Form { scale: 1.0, ..of.clone() }, &name, file.clone());
            Ok(match opened {
                Some(opened) if of.function == BODY_FUNCTION => {
                    Some(Form { around_bytes: self.around(&opened)?, ..opened })
                }
                opened => opened,
            })
        })
    }

    /// With the body of a loop as a function: of the loop with most ops, and of those inside it, the innermost whose body holds half of
    /// what XLA takes or more, and may hold half of the cap, or the outermost that may hold some of it. Its plan holds for every iteration, however many there are.
    fn body(&self, as_is: &Form) -> Result<Option<Form>, Failure> {
        let text = read_text(&as_is.file)?;
        if !text.contains("stablehlo.while") || text.contains(BODY_FUNCTION) {
            return Ok(None);
        }
        self.in_time(BODY, || {
            let mut found = None;
            for depth in 0..MOST_DEPTH {
                let pass = format!(
                    "--ballast-outline-body=function='{}' name={BODY_FUNCTION} depth={depth}",
                    as_is.function
                );
                let file = self.run(as_is, &format!("body{depth}"), &[&pass])?;
                if !read_text(&file)?.contains(BODY_FUNCTION) {
                    break;
                }
                let body =
                    Form { name: BODY.to_owned(), file, function: BODY_FUNCTION.to_owned(), ..as_is.clone() };
                match self.around(&body) {
                    Ok(around_bytes) => {
                        let most = if found.is_none() { self.cap_bytes } else { self.cap_bytes / 2 };
                        if around_bytes < most.min(body.measured_bytes / 2) {
                            found = Some(Form { around_bytes, ..body });
                        }
                    }
                    Err(failure) => {
                        tracing::warn!("the body of a loop: {}", failure.message());
                        break;
                    }
                }
            }
            Ok(found)
        })
    }

    /// What the loops of the program stack for one another, where dropping that is enough to keep the cap. It takes no longer than a moment, and the first
    /// plan may need it: the time limit does not count.
    fn stacks(&self, as_is: &Form) -> Result<Option<StacksFile>, Failure> {
        let may_pair = self.planner.args.loops != Loops::Open;
        if !may_pair
            || as_is.measured_bytes <= self.cap_bytes
            || !read_text(&as_is.file)?.contains("stablehlo.while")
        {
            return Ok(None);
        }
        match self.planner.pair_loops(as_is.planned(), None) {
            Ok(stacks) => {
                let around_bytes = as_is.measured_bytes.saturating_sub(stacks.stack_bytes);
                Ok((stacks.pairs > 0 && around_bytes < self.cap_bytes).then_some(stacks))
            }
            Err(failure) => {
                tracing::warn!("pairs of loops: {}", failure.message());
                Ok(None)
            }
        }
    }

    /// What is held around a body: what XLA takes for the program less what the body alone is predicted to hold, both unplanned.
    fn around(&self, body: &Form) -> Result<u64, Failure> {
        let planner = self.hurried();
        let stage = planner.plan(body.planned(), predicted(planner.args), None, BOUNDLESS, 1)?;
        Ok(body.measured_bytes.saturating_sub(stage.unplanned_peak_bytes))
    }

    /// Without its optimization barriers, where it has any: what they keep apart is recomputation that its author chose. A plan
    /// made from this one chooses for itself; plans of the other forms start from the author's.
    fn checkpoints_removed(&self, of: &Form) -> Result<Option<Form>, Failure> {
        if !read_text(&of.file)?.contains(BARRIER) {
            return Ok(None);
        }
        let name = of.with(REMOVED);
        self.in_time(&name, || {
            let file = self.folder.join(&name).with_extension("mlir");
            xla::without_barriers(&of.file, &file, &self.hurried().job)?;
            Ok(self.compiled(of.clone(), &name, file))
        })
    }

    /// With ops of a kind written out, where it has any that can be.
    fn written_out(&self, ops: &WrittenOut, of: &Form) -> Result<Option<Form>, Failure> {
        if !(ops.has)(&read_text(&of.file)?) {
            return Ok(None);
        }
        let name = of.with(ops.form);
        self.in_time(&name, || {
            let ready = if ops.before.is_empty() {
                of.clone()
            } else {
                Form { file: self.run(of, "ready", ops.before)?, ..of.clone() }
            };
            let before = read_text(&ready.file)?;
            let file = self.run(&ready, &name, &[ops.flag])?;
            let written = (ops.fewer)(&before, &read_text(&file)?);
            Ok(if written { self.compiled(of.clone(), &name, file) } else { None })
        })
    }

    /// A form of the program that XLA can compile, made from another.
    fn compiled(&self, from: Form, name: &str, file: PathBuf) -> Option<Form> {
        match xla::measure(&file, false, &self.hurried().job) {
            Ok(measured) => Some(Form {
                name: name.to_owned(),
                file,
                measured_bytes: self.planner.args.cap_counts.of(&measured),
                flops: measured.flops,
                ..from
            }),
            // The program itself could be compiled, so it can still be planned as it is.
            Err(failure) => {
                left_out(name, if self.deadline.is_over() { TIME_IS_OVER } else { failure.reason() });
                None
            }
        }
    }
}

/// Why a form is left out that is not made by then.
const TIME_IS_OVER: &str = "the time limit was over before it was compiled";

/// Says that there is no such form.
fn left_out(name: &str, reason: &str) {
    note(&format!("{name}: left out: {reason}"));
}
