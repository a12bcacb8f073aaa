//! Loops whose iterations can be counted before they run, and the integers that say how often.

mod integers;
mod loops;

pub(crate) use integers::{Integers, dims, fold, is_tensor};
pub(crate) use loops::{Loop, Why};
