//! `ballast remat`.

/// Arguments of `ballast remat`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<(), crate::Failure> {
    Err(crate::Failure::Internal("not built yet".into()))
}
