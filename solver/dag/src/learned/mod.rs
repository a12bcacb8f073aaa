//! The learned placer: an actor-critic that puts the groups of a graph on devices, one after the other.
//!
//! A graph is seen as a [`board::Board`]; [`building`] places group by group along a topological order, with a mask
//! that keeps memory, support and, for contiguous plans, the order of the devices; [`ppo`] trains policy and value
//! over many graphs ([`graphs`]) or refines them on one. The plans pass the judge like all others.

pub mod board;
pub mod building;
pub mod graphs;
pub mod ppo;
pub(crate) mod search;
