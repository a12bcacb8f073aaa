//! Runs one kind of hostile input: with the feature `coverage` under libFuzzer, whose options it takes (the variable `BALLAST_SOAK`
//! names the kind); without it on the files given, `ballast-soak KIND FILE...`, where a folder stands for all files in it. `ballast-soak
//! faults COUNT SEED` runs the programs beside it under so many faults.

#![cfg_attr(feature = "coverage", no_main)]

#[cfg(feature = "coverage")]
mod fuzzing {
    use std::sync::OnceLock;

    use ballast_soak::{Target, target};

    static TARGET: OnceLock<Target> = OnceLock::new();

    libfuzzer_sys::fuzz_target!(init: {
        // What commands answer is not looked at; libFuzzer writes to standard error.
        // SAFETY: both descriptors are this process's own.
        unsafe {
            let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
            libc::dup2(nowhere, libc::STDOUT_FILENO);
        }
    }, |input: &[u8]| {
        let run = TARGET.get_or_init(|| {
            let name = std::env::var("BALLAST_SOAK").expect("BALLAST_SOAK names the kind of input");
            target(&name).expect("a kind of input")
        });
        run(input);
    });
}

#[cfg(not(feature = "coverage"))]
fn main() -> std::process::ExitCode {
    let mut words = std::env::args_os().skip(1);
    let name = words.next().unwrap_or_default();
    if name == "faults" {
        return faults(words);
    }
    let Some(run) = name.to_str().and_then(ballast_soak::target) else {
        let names: Vec<&str> = ballast_soak::TARGETS.iter().map(|(name, _)| *name).collect();
        say(&format!("ballast-soak KIND FILE..., where KIND is one of: {}", names.join(", ")));
        return std::process::ExitCode::from(2);
    };
    let mut count = 0;
    for path in words.map(std::path::PathBuf::from).flat_map(files) {
        // Said before it is run: what ends the process is the last one named.
        say(&path.display().to_string());
        match std::fs::read(&path) {
            Ok(input) => run(&input),
            Err(error) => {
                say(&format!("{}: {error}", path.display()));
                return std::process::ExitCode::from(2);
            }
        }
        count += 1;
    }
    say(&format!("{count} inputs, no promise broken"));
    std::process::ExitCode::SUCCESS
}

#[cfg(not(feature = "coverage"))]
fn faults(mut words: impl Iterator<Item = std::ffi::OsString>) -> std::process::ExitCode {
    let mut number = || words.next().and_then(|word| word.to_str()?.parse().ok());
    let (count, seed) = (number().unwrap_or(100), number().unwrap_or(0));
    let program = std::env::current_exe().expect("a program has a path");
    match ballast_soak::faults::run(count, seed, program.parent().expect("a folder")) {
        Ok(tally) => {
            for (fault, codes) in tally {
                let codes: Vec<String> =
                    codes.iter().map(|(code, count)| format!("{code}: {count}")).collect();
                say(&format!("{fault:<14} {}", codes.join(", ")));
            }
            say(&format!("{count} faults, no promise broken"));
            std::process::ExitCode::SUCCESS
        }
        Err(broken) => {
            say(&broken);
            std::process::ExitCode::FAILURE
        }
    }
}

/// The files of a folder in order, or the file itself.
#[cfg(not(feature = "coverage"))]
fn files(path: std::path::PathBuf) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(&path) else { return vec![path] };
    let mut files: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[cfg(not(feature = "coverage"))]
fn say(text: &str) {
    use std::io::Write as _;
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}
