//! XLA: what it makes one before it fuses, what it fuses, and what its CPU compiler holds beside operands and results.

pub(crate) mod barriers;
pub(crate) mod classes;
pub(crate) mod constants;
pub(crate) mod equal;
pub(crate) mod names;
pub(crate) mod products;
pub(crate) mod updates;
pub(crate) mod workspace;
