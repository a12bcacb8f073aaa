//! Opening loops: bodies as often as they run, indices as constants, stacks as the slices written into them.

mod dead;
mod movement;
mod rewriter;
mod sinking;
mod stacks;

pub(crate) use dead::sweep;
pub(crate) use movement::keeps_order;
pub(crate) use rewriter::{Budget, Iterations, Nested, carried_bytes, open_in_block};
