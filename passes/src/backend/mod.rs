//! What the compiler that runs a program will make of it: which values it stores, and what it holds beside them.

mod heap_room;
mod loops;
pub(crate) mod storage;
pub(crate) mod xla;
