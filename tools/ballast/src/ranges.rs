//! Ranges of numbers given as options: each option names its own where it is declared, and what is outside is refused before
//! anything is read.

use ballast_core::limits;

/// A whole number from `LOW` to `HIGH`.
pub(crate) fn count<T: TryFrom<u64>, const LOW: u64, const HIGH: u64>(text: &str) -> Result<T, String> {
    let number = text.parse::<u64>().ok().filter(|number| (LOW..=HIGH).contains(number));
    let refused = || match HIGH {
        u64::MAX => format!("give a whole number, at least {LOW}"),
        _ => format!("give a whole number from {LOW} to {HIGH}"),
    };
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(refused)
}

/// Threads: 1 to 1024. No more are started than the machine has cores.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    count::<usize, 1, 1024>(text).map(limits::threads)
}

/// A time limit in seconds: above zero, up to 1e9 (32 years).
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    number(text, |seconds| seconds > 0.0 && seconds <= 1e9, "give seconds above zero, at most 1e9")
}

/// Seconds that may be none: 0 to 1e9.
pub(crate) fn duration(text: &str) -> Result<f64, String> {
    number(text, |seconds| (0.0..=1e9).contains(&seconds), "give seconds from 0 to 1e9")
}

/// A share of a whole: 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    number(text, |share| (0.0..=1.0).contains(&share), "give a number from 0 to 1")
}

/// Something that there must be some of: above zero, up to 1e18.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0 && value <= 1e18, "give a number above zero, at most 1e18")
}

/// Something that there may be none of: 0 to 1e18.
pub(crate) fn amount(text: &str) -> Result<f64, String> {
    number(text, |value| (0.0..=1e18).contains(&value), "give a number from 0 to 1e18")
}

/// A factor of a whole that must not be lost or made endless: 0 to 1000.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    number(text, |value| (0.0..=1000.0).contains(&value), "give a number from 0 to 1000")
}

/// A share that leaves something: 0 to 0.5.
pub(crate) fn half(text: &str) -> Result<f64, String> {
    number(text, |share| (0.0..=0.5).contains(&share), "give a number from 0 to 0.5")
}

/// A share of a whole that is never all of it: 0 to 1, 1 left out.
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    number(text, |share| (0.0..1.0).contains(&share), "give a number from 0 to 1, 1 left out")
}

/// A multiple of something there is: above 0, at most 1000.
pub(crate) fn multiple(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0 && value <= 1000.0, "give a number above 0, at most 1000")
}

/// The largest of some numbers over the smallest: 1 to 1e18.
pub(crate) fn spread(text: &str) -> Result<f64, String> {
    number(text, |value| (1.0..=1e18).contains(&value), "give a number from 1 to 1e18")
}

/// Events of an hour, at most one a second: 0 to 3600.
pub(crate) fn per_hour(text: &str) -> Result<f64, String> {
    number(text, |value| (0.0..=3600.0).contains(&value), "give a number from 0 to 3600")
}

/// A share by which a budget is raised: 0.0001 to 10. Smaller steps never come to an end.
pub(crate) fn relax_step(text: &str) -> Result<f64, String> {
    number(text, |value| (1e-4..=10.0).contains(&value), "give a number from 0.0001 to 10")
}

/// How far a budget may be raised: 0 for not at all, or a multiple from 1 to 1000.
pub(crate) fn relax_limit(text: &str) -> Result<f64, String> {
    number(
        text,
        |value| value == 0.0 || (1.0..=1000.0).contains(&value),
        "give 0, or a number from 1 to 1000",
    )
}

/// Step size of an optimiser: above zero, at most 1.
pub(crate) fn step_size(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0 && value <= 1.0, "give a number above 0, at most 1")
}

fn number(text: &str, is_in: impl Fn(f64) -> bool, refused: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|&value| is_in(value)).ok_or_else(|| refused.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::builder::ValueParser;
    use clap::{Arg, Command, CommandFactory as _};

    use crate::Cli;

    /// Options where every number of their type has a meaning.
    const ANY: [&str; 6] = ["seed", "fault_seed", "draw", "work_limit", "curve_work_limit", "runs"];

    fn is<T: Clone + Send + Sync + 'static>(parser: &ValueParser) -> bool {
        parser.type_id() == ValueParser::new(|_: &str| Err::<T, String>(String::new())).type_id()
    }

    fn takes(arg: &Arg, value: &str) -> bool {
        let arg = arg.clone().required(false);
        let given = format!("--{}={value}", arg.get_long().unwrap_or_default());
        Command::new("one").arg(arg).try_get_matches_from(["one", &given]).is_ok()
    }

    fn check(command: &Command, unlimited: &mut Vec<String>, numbers: &mut usize) {
        for arg in command.get_arguments().filter(|arg| arg.get_long().is_some()) {
            let parser = arg.get_value_parser();
            let whole = is::<u32>(parser) || is::<u64>(parser) || is::<usize>(parser);
            if (whole && !ANY.contains(&arg.get_id().as_str())) || is::<f64>(parser) {
                *numbers += 1;
                let extremes = match (whole, is::<u32>(parser)) {
                    (true, true) => ["4294967295", "-1"],
                    (true, false) => ["18446744073709551615", "-1"],
                    (false, _) => ["1e300", "nan"],
                };
                if extremes.iter().any(|extreme| takes(arg, extreme)) {
                    unlimited.push(format!("{} --{}", command.get_name(), arg.get_id()));
                }
            }
        }
        command.get_subcommands().for_each(|command| check(command, unlimited, numbers));
    }

    #[test]
    fn every_option_that_takes_a_number_has_a_range() {
        let (mut unlimited, mut numbers) = (Vec::new(), 0);
        check(&Cli::command(), &mut unlimited, &mut numbers);
        assert_eq!(unlimited, [""; 0]);
        assert!(numbers > 80, "{numbers} options looked at");
    }

    #[test]
    fn a_range_is_said_where_it_is_left() {
        let refused = super::count::<u32, 1, 9>("10").unwrap_err();
        assert_eq!(refused, "give a whole number from 1 to 9");
        assert_eq!(super::count::<u32, 1, 9>("9"), Ok(9));
        assert!(super::threads("65537").is_err() && super::threads("0").is_err());
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(super::threads("1024"), Ok(cores.min(1024)));
    }
}
