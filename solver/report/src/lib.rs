//! A plan as people look at it: one HTML page, and trace events for a viewer, from what the plan file holds.
//!
//! The command `ballast report` and the passes that plan write the same page.

mod curve;
mod data;
mod facts;
mod figures;
mod html;
mod step;
mod trace;
mod units;
mod words;

pub use curve::{Curve, CurvePoint};
pub use facts::{Facts, StageFacts};
pub use html::page;
pub use trace::events as trace_events;
pub use units::{Unit, milliseconds};
pub use words::{short_location, stop, summary};
