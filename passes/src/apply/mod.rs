//! From a plan to a program that carries it out, still as one function.

pub(crate) mod actions;
pub(crate) mod ballast_apply;
mod emit;
