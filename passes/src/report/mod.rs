//! Passes that read a planned program back: what its attributes say, and whether it is true.

pub(crate) mod ballast_report;
pub(crate) mod ballast_verify;
pub(crate) mod claims;
