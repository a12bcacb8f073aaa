//! Passes that decide: they search for a plan and write it into the program as attributes.

mod attempt;
pub(crate) mod ballast_place;
pub(crate) mod ballast_plan;
mod explained;
mod forms;
mod page;
mod relaxed;
pub(crate) mod remat;
pub(crate) mod rl_partition;
mod split;
mod unread;

#[cfg(test)]
mod tests;
