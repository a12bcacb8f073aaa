//! Passes that decide: they search for a plan and write it into the program as attributes.

pub(crate) mod ballast_place;
pub(crate) mod ballast_plan;
mod explained;
mod page;
mod relaxed;
pub(crate) mod remat;
pub(crate) mod rl_partition;

#[cfg(test)]
mod tests;
