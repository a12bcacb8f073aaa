//! `ballast partition`.

/// Arguments of `ballast partition`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<(), crate::Failure> {
    Err(crate::Failure::Internal("not built yet".into()))
}
