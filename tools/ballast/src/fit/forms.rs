//! Forms of a program that `ballast fit` plans: as it is, with its loops opened or paired, the body of a loop alone, without its author's checkpoints, with
//! gradients of gathers, of depthwise kernels and of max pooling written out.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::Loops;
use super::planner::{BOUNDLESS, Planner, predicted};
use crate::failure::{Failure, note};
use crate::output::read_text;
use crate::run::Measured;
use crate::run::tools::{beside, capture};
use crate::run::xla;

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
/// What its author decided to compute twice computed once, loops opened: where barriers are, as `jax.checkpoint` writes them.
const REMOVED: &str = "checkpoints-removed";
/// Its gradients of gathers as selections, of depthwise kernels as sums over elementwise products, of max pooling as elementwise ops: all hold less beside
/// their operands and results; loops opened, checkpoints removed.
const WRITTEN_OUT: [Gradients; 3] = [
    Gradients {
        form: "gather-gradients",
        // What JAX has as functions of their own hand such a gradient on.
        before: &["--ballast-inline"],
        flag: "--ballast-gather-gradients",
        has: |text| scatters(text) > 0,
        fewer: |before, after| scatters(after) < scatters(before),
    },
    Gradients {
        form: "depthwise-gradients",
        before: &[],
        flag: "--ballast-depthwise-gradients",
        has: |text| batch_groups(text) > 0,
        fewer: |before, after| batch_groups(after) < batch_groups(before),
    },
    Gradients {
        form: "pool-gradients",
        before: &[],
        flag: "--ballast-pool-gradients",
        has: |text| selects(text) > 0,
        fewer: |before, after| selects(after) < selects(before),
    },
];

/// Gradients that a pass writes out.
struct Gradients {
    form: &'static str,
    /// Passes that run first.
    before: &'static [&'static str],
    flag: &'static str,
    /// Does a program have any?
    has: fn(&str) -> bool,
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

/// Convolutions in more than one batch group.
fn batch_groups(text: &str) -> usize {
    let counts = text.split("batch_group_count = ").skip(1);
    counts.filter(|rest| !(rest.starts_with("1 ") || rest.starts_with("1,"))).count()
}

/// The forms of a program, those to plan first last.
///
/// # Errors
/// A missing tool, a file that cannot be read or written.
pub(super) fn of(
    planner: &Planner<'_>,
    unplanned: &Measured,
    folder: &Path,
    most_bytes: u64,
) -> Result<Vec<Form>, Failure> {
    let maker = Maker { planner, folder };
    let as_is = Form {
        name: AS_IS.to_owned(),
        file: planner.args.program.clone(),
        function: planner.args.function.clone(),
        around_bytes: 0,
        measured_bytes: planner.args.cap_counts.of(unplanned),
        flops: unplanned.flops,
        scale: 1.0,
        margin: 1.0,
    };
    let mut forms = maker.rewritten(as_is)?;
    // Only what a body holds of its own can be saved in it.
    if let Some(body) = maker.body(&forms[0], most_bytes)? {
        forms.extend(maker.rewritten(body)?);
    }
    maker.pair(&mut forms, most_bytes)?;
    Ok(forms)
}

/// Makes forms.
struct Maker<'a> {
    planner: &'a Planner<'a>,
    folder: &'a Path,
}

impl Maker<'_> {
    /// A form, and it rewritten in every way that applies, one after the other.
    fn rewritten(&self, first: Form) -> Result<Vec<Form>, Failure> {
        let mut forms = vec![first];
        if let Some(opened) = self.opened(&forms[0])? {
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
        for gradients in &WRITTEN_OUT {
            forms.extend(self.written_out(gradients, &forms[forms.len() - 1])?);
        }
        Ok(forms)
    }

    /// Rewrites a program with passes, into a file named after what is made.
    fn run(&self, of: &Form, name: &str, passes: &[&str]) -> Result<PathBuf, Failure> {
        let file = self.folder.join(name).with_extension("mlir");
        let mut run = Command::new(beside("ballast-opt")?);
        run.arg(&of.file).arg("--allow-unregistered-dialect").args(passes).arg("-o").arg(&file);
        capture(&mut run, &self.planner.args.program.display().to_string(), self.planner.job.limit)?;
        Ok(file)
    }

    /// With its counted loops opened, where it has any: to a planner a loop is one op.
    fn opened(&self, of: &Form) -> Result<Option<Form>, Failure> {
        let loops = |text: &str| text.matches("stablehlo.while").count();
        let may_open = self.planner.args.loops != Loops::Stay || of.function == BODY_FUNCTION;
        if !may_open || loops(&read_text(&of.file)?) == 0 {
            return Ok(None);
        }
        let inlined = self.run(of, "inlined", &["--ballast-inline"])?;
        let body = if of.function == BODY_FUNCTION { BODY_FUNCTION } else { "" };
        let name = of.with(OPENED);
        let file = self.run(of, &name, &[&format!("--ballast-unroll=function='{body}'")])?;
        if loops(&read_text(&file)?) >= loops(&read_text(&inlined)?) {
            if body.is_empty() {
                tracing::warn!(
                    "no loop of {} can be opened: each is planned as one op, and holds all it carries",
                    self.planner.args.program.display()
                );
            }
            return Ok(None);
        }
        let opened = self.compiled(Form { scale: 1.0, ..of.clone() }, name, file);
        Ok(match opened {
            Some(opened) if !body.is_empty() => Some(Form { around_bytes: self.around(&opened)?, ..opened }),
            opened => opened,
        })
    }

    /// With the body of a loop as a function: of the loop with most ops, and of those inside it, the innermost whose body holds half of
    /// what XLA takes or more, and may hold half of the cap, or the outermost that may hold some of it. Its plan holds for every iteration, however many there are.
    fn body(&self, as_is: &Form, most_bytes: u64) -> Result<Option<Form>, Failure> {
        let text = read_text(&as_is.file)?;
        if !text.contains("stablehlo.while") || text.contains(BODY_FUNCTION) {
            return Ok(None);
        }
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
                    let most = if found.is_none() { most_bytes } else { most_bytes / 2 };
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
    }

    /// Adds the form in which loops are paired, where stacks between loops are enough to keep the cap. Loops stay loops in it, which compiles
    /// faster than opened ones.
    fn pair(&self, forms: &mut Vec<Form>, most_bytes: u64) -> Result<(), Failure> {
        let as_is = forms[0].clone();
        let may_pair = self.planner.args.loops != Loops::Open;
        if !may_pair
            || as_is.measured_bytes <= most_bytes
            || !read_text(&as_is.file)?.contains("stablehlo.while")
        {
            return Ok(());
        }
        let stacks = match self.planner.pair_loops(as_is.planned(), None) {
            Ok(stacks) => stacks,
            Err(failure) => {
                tracing::warn!("pairs of loops: {}", failure.message());
                return Ok(());
            }
        };
        let around_bytes = as_is.measured_bytes.saturating_sub(stacks.stack_bytes);
        if stacks.pairs == 0 || around_bytes >= most_bytes {
            return Ok(());
        }
        if as_is.scale <= 1.0 && stacks.operations_once > 0.0 {
            // No loop was opened: how often they run is known from the program alone.
            let scale = stacks.operations / stacks.operations_once;
            forms
                .iter_mut()
                .filter(|form| form.function != BODY_FUNCTION)
                .for_each(|form| form.scale = scale);
        }
        let scale = forms[0].scale;
        let margin = self.margin(forms)?;
        forms.push(Form { name: PAIRED.to_owned(), around_bytes, scale, margin, ..as_is });
        Ok(())
    }

    /// How much more a plan may compute whose loops stay loops, beside what opens them.
    fn margin(&self, forms: &[Form]) -> Result<f64, Failure> {
        let Some(opened) = forms.iter().find(|form| form.name == OPENED) else { return Ok(LOOPS) };
        let inlined = self.run(&forms[0], "inlined", &["--ballast-inline"])?;
        let (opened, inlined) = (ops(&read_text(&opened.file)?), ops(&read_text(&inlined)?));
        Ok(if opened <= SHORT * inlined { 1.0 } else { LOOPS })
    }

    /// What is held around a body: what XLA takes for the program less what the body alone is predicted to hold, both unplanned.
    fn around(&self, body: &Form) -> Result<u64, Failure> {
        let stage = self.planner.plan(body.planned(), predicted(self.planner.args), None, BOUNDLESS, 1)?;
        Ok(body.measured_bytes.saturating_sub(stage.unplanned_peak_bytes))
    }

    /// Without its optimization barriers, where it has any: what they keep apart is recomputation that its author chose. A plan
    /// made from this one chooses for itself; plans of the other forms start from the author's.
    fn checkpoints_removed(&self, of: &Form) -> Result<Option<Form>, Failure> {
        if !read_text(&of.file)?.contains("stablehlo.optimization_barrier") {
            return Ok(None);
        }
        let name = of.with(REMOVED);
        let file = self.folder.join(&name).with_extension("mlir");
        xla::without_barriers(&of.file, &file, self.planner.job)?;
        Ok(self.compiled(of.clone(), name, file))
    }

    /// With gradients written out, where it has any that can be.
    fn written_out(&self, gradients: &Gradients, of: &Form) -> Result<Option<Form>, Failure> {
        if !(gradients.has)(&read_text(&of.file)?) {
            return Ok(None);
        }
        let ready = if gradients.before.is_empty() {
            of.clone()
        } else {
            Form { file: self.run(of, "ready", gradients.before)?, ..of.clone() }
        };
        let before = read_text(&ready.file)?;
        let name = of.with(gradients.form);
        let file = self.run(&ready, &name, &[gradients.flag])?;
        let written = (gradients.fewer)(&before, &read_text(&file)?);
        Ok(if written { self.compiled(of.clone(), name, file) } else { None })
    }

    /// A form of the program that XLA can compile, made from another.
    fn compiled(&self, from: Form, name: String, file: PathBuf) -> Option<Form> {
        match xla::measure(&file, false, self.planner.job) {
            Ok(measured) => Some(Form {
                name,
                file,
                measured_bytes: self.planner.args.cap_counts.of(&measured),
                flops: measured.flops,
                ..from
            }),
            // The program itself could be compiled, so it can still be planned as it is.
            Err(failure) => {
                note(&format!("{name}: left out: {}", failure.reason()));
                None
            }
        }
    }
}
