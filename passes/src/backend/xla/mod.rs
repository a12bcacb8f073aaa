//! XLA: what it makes one before it fuses, and what its CPU compiler holds beside operands and results.

pub(crate) mod beside;
pub(crate) mod equal;
