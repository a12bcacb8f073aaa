//! Pairs of loops: what the first one stacks, slice by slice, the second one reads.

mod find;
mod problem;
mod rewrite;
mod writer;

pub(crate) use find::{Pair, pairs};
pub(crate) use problem::{Problem, body_of};
pub(crate) use rewrite::{Rewritten, rewrite};
