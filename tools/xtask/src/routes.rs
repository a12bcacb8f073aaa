//! What `ballast-opt` says of its named pipelines: they are registered in C++ (`dialects/cpp/Pipelines.cpp`), of which TableGen knows nothing.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::ods::{Pass, PassOption};
use crate::workspace::Workspace;

/// Names of our pipelines begin with this; MLIR's own do not.
const OURS: &str = "ballast-";

/// All named pipelines of ours, sorted by flag. Needs a finished build.
pub(crate) fn pipelines(workspace: &Workspace) -> Result<Vec<Pass>> {
    let driver = workspace.program("ballast-opt");
    let help = cmd!(workspace.shell, "{driver} --help").quiet().read()?;
    let pipelines = pipelines_in(&help);
    ensure!(!pipelines.is_empty(), "`ballast-opt --help` names no pipeline of ours");
    Ok(pipelines)
}

/// Those of a help text. LLVM indents a pipeline by six columns, its options by eight, and their values by four.
fn pipelines_in(help: &str) -> Vec<Pass> {
    let mut found: Vec<Pass> = Vec::new();
    let mut is_ours = false;
    for line in help.lines().skip_while(|line| line.trim() != "Pass Pipelines:").skip(1) {
        let indent = line.len() - line.trim_start().len();
        let Some((name, text)) = line.trim().split_once(" - ") else { continue };
        let (name, text) = (name.trim(), text.trim());
        match (indent, name.strip_prefix("--"), name.strip_prefix('=')) {
            (6, Some(argument), _) => {
                is_ours = argument.starts_with(OURS);
                if is_ours {
                    found.push(Pass { argument: argument.into(), summary: text.into(), options: Vec::new() });
                }
            }
            (8, Some(option), _) if is_ours => {
                let argument = option.split('=').next().unwrap_or(option).to_owned();
                let description = text.to_owned();
                found.last_mut().into_iter().for_each(|pipeline| {
                    pipeline
                        .options
                        .push(PassOption { argument: argument.clone(), description: description.clone() });
                });
            }
            (_, _, Some(value)) if is_ours => {
                let option = found.last_mut().and_then(|pipeline| pipeline.options.last_mut());
                option.into_iter().for_each(|option| {
                    let _ = write!(option.description, " `{value}`: {text}.");
                });
            }
            (indent, ..) if indent < 6 => break,
            _ => {}
        }
    }
    found
}

/// The part of the page of passes that is about pipelines, in the form that MLIR's own tool gives passes.
pub(crate) fn section(pipelines: &[Pass]) -> String {
    let mut text = String::from(
        "\n# Pipelines\n\nEach is a list of passes under one name, from `dialects/cpp/Pipelines.cpp`; what they do one after the other is in \
         [running-plans.md](running-plans.md#routes).\n",
    );
    for Pass { argument, summary, options } in pipelines {
        let _ = write!(text, "\n### `-{argument}`\n\n_{summary}_\n\n#### Options\n\n```\n");
        let width = options.iter().map(|option| option.argument.len()).max().unwrap_or_default();
        for PassOption { argument, description } in options {
            let _ = writeln!(text, "-{argument:width$} : {description}");
        }
        text.push_str("```\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_and_their_options_are_read_from_the_help() {
        let help = "\
    Passes:
      --ballast-apply            -   Not a pipeline
        --function=<string>      - Not an option of one
    Pass Pipelines:
      --ballast-to-mars          -   Go there
        --entry                  - Add one?
        --kernels=<value>        - What is kept.
    =all                         -   the program and its kernels
    =none                        -   nothing
      --buffer-pipeline          -   MLIR's own
        --entry                  - Not ours
    =all                         -   nor this
  --other=<string>               - No pipeline
      --ballast-to-late          -   After the end
";
        let option = |argument: &str, description: &str| PassOption {
            argument: argument.into(),
            description: description.into(),
        };
        let kernels = option("kernels", "What is kept. `all`: the program and its kernels. `none`: nothing.");
        let mars = Pass {
            argument: "ballast-to-mars".into(),
            summary: "Go there".into(),
            options: vec![option("entry", "Add one?"), kernels],
        };
        let found = pipelines_in(help);
        assert_eq!(found, [mars]);
        let section = section(&found);
        assert!(section.contains("### `-ballast-to-mars`\n\n_Go there_\n"), "{section}");
        assert!(section.contains("-entry   : Add one?\n-kernels : What is kept. `all`:"), "{section}");
    }
}
