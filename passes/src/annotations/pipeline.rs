//! `ballast.pipeline`: the figures of a step of micro-batches as an attribute, written and read back.

use ballast_core::plan::PipelinePlan;
use ballast_dialects::attributes as ir;
use ballast_dialects::ir as program_ir;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Type};

/// The figures that are written: what a reader of the program needs to know, and the verifier derives again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Seconds of a step.
    pub step: f64,
    /// Share of the devices' time in which they idle.
    pub bubble: f64,
    /// Micro-batches held at a time, by device.
    pub in_flight: Vec<i64>,
    /// Bytes needed for all in flight, by device.
    pub need: Vec<i64>,
}

impl Figures {
    /// The figures of a plan.
    pub(crate) fn of(pipeline: &PipelinePlan) -> Self {
        let whole = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        Figures {
            step: pipeline.step_seconds,
            bubble: pipeline.bubble,
            in_flight: pipeline.stages.iter().map(|stage| whole(stage.in_flight as u64)).collect(),
            need: pipeline.stages.iter().map(|stage| whole(stage.need_bytes)).collect(),
        }
    }
}

/// The figures of a plan as `ballast.pipeline`.
pub(crate) fn attribute<'c>(context: &'c Context, pipeline: &PipelinePlan) -> Attribute<'c> {
    let Figures { step, bubble, in_flight, need } = Figures::of(pipeline);
    let kind: Type<'c> = IntegerType::new(context, 64).into();
    let number = |value| FloatAttribute::new(context, Type::float64(context), value).into();
    let list = |values: Vec<i64>| -> Attribute<'c> {
        let values: Vec<Attribute<'c>> =
            values.into_iter().map(|value| IntegerAttribute::new(kind, value).into()).collect();
        ArrayAttribute::new(context, &values).into()
    };
    let entries = [
        ("step", number(step)),
        ("bubble", number(bubble)),
        ("in_flight", list(in_flight)),
        ("need", list(need)),
    ];
    let entries = entries.map(|(key, value)| (Identifier::new(context, key), value));
    DictionaryAttribute::new(context, &entries).into()
}

/// Reads `ballast.pipeline` of a function; none where it is missing or says something else.
pub(crate) fn read(function: OperationRef<'_, '_>) -> Option<Figures> {
    let dictionary = function.attribute(ir::PIPELINE).ok()?;
    let entry = |key: &str| program_ir::entry(dictionary, key);
    let number = |key: &str| entry(key).and_then(program_ir::float_value);
    let list = |key: &str| -> Option<Vec<i64>> {
        let list = ArrayAttribute::try_from(entry(key)?).ok()?;
        (0..list.len())
            .map(|at| IntegerAttribute::try_from(list.element(at).ok()?).ok().map(|value| value.value()))
            .collect()
    };
    Some(Figures {
        step: number("step")?,
        bubble: number("bubble")?,
        in_flight: list("in_flight")?,
        need: list("need")?,
    })
}
