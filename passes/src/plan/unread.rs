//! Options that one method alone reads: with another one they would be dropped without a word, so they are refused.

use ballast_dialects::passes::{PartitionMethod, RematOptions, RlPartitionOptions};

/// An option as it was given, and as it is where nobody gives it.
struct Given {
    name: &'static str,
    value: String,
    default: String,
}

/// Of the fields of options and of their defaults, by the names users write.
macro_rules! given {
    ($options:expr, $defaults:expr, $($name:literal: $field:ident $(.$text:ident())?),+ $(,)?) => {
        [$(Given {
            name: $name,
            value: $options.$field$(.$text())?.to_string(),
            default: $defaults.$field$(.$text())?.to_string(),
        }),+]
    };
}

/// Options of `--rl-partition` that the method chosen does not read.
///
/// # Errors
/// What is to be said of the first.
pub(super) fn of_partition(options: &RlPartitionOptions) -> Result<(), String> {
    let defaults = RlPartitionOptions::default();
    let method = options.method;
    if !matches!(method, PartitionMethod::Rl) {
        let learner = given!(
            options, defaults,
            "network": network, "save-network": save_network, "reward": reward.name(), "setting": setting.name(), "episodes": episodes,
            "max-steps": max_steps, "target-reward": target_reward, "learning-rate": learning_rate,
        );
        refuse(&learner, "the learner", "method=rl")?;
    }
    if !matches!(method, PartitionMethod::Genetic) {
        let genetic = given!(
            options, defaults,
            "population": population, "generations": generations, "elite": elite, "crossover": crossover, "mutation": mutation,
            "fitness": fitness.name(),
        );
        refuse(&genetic, "the genetic search", "method=genetic")?;
    }
    Ok(())
}

/// Options of `--remat` that its solver does not read, where that is not Q-learning.
///
/// # Errors
/// What is to be said of the first.
pub(super) fn of_q_learning(options: &RematOptions) -> Result<(), String> {
    let defaults = RematOptions::default();
    let q_learning = given!(
        options, defaults,
        "q-table": q_table, "save-q-table": save_q_table, "q-rounds": q_rounds, "q-weight": q_weight, "q-epsilon": q_epsilon,
        "q-initial": q_initial, "q-target": q_target, "q-alpha": q_alpha, "q-gamma": q_gamma,
    );
    refuse(&q_learning, "Q-learning", "solver=q-learning")
}

fn refuse(options: &[Given], whose: &str, with: &str) -> Result<(), String> {
    match options.iter().find(|option| option.value != option.default) {
        None => Ok(()),
        Some(Given { name, value, .. }) => {
            Err(format!("{name}={value} is for {whose} alone: give {with} with it, or leave it out"))
        }
    }
}

#[cfg(test)]
mod tests {
    use ballast_dialects::passes::Fitness;

    use super::*;

    #[test]
    fn what_another_method_reads_is_refused_by_name() {
        let asked = RlPartitionOptions { episodes: 7, ..RlPartitionOptions::default() };
        assert_eq!(
            of_partition(&asked),
            Err("episodes=7 is for the learner alone: give method=rl with it, or leave it out".to_owned())
        );
        assert_eq!(of_partition(&RlPartitionOptions { method: PartitionMethod::Rl, ..asked }), Ok(()));
        let bred = RlPartitionOptions { fitness: Fitness::Predicted, ..RlPartitionOptions::default() };
        assert!(
            of_partition(&bred).is_err_and(|said| said.starts_with("fitness=predicted is for the genetic"))
        );
        assert_eq!(of_partition(&RlPartitionOptions { method: PartitionMethod::Genetic, ..bred }), Ok(()));
    }

    #[test]
    fn defaults_are_nothing_that_was_asked_for() {
        assert_eq!(of_partition(&RlPartitionOptions::default()), Ok(()));
        assert_eq!(of_q_learning(&RematOptions::default()), Ok(()));
        let asked = RematOptions { q_initial: "none".to_owned(), ..RematOptions::default() };
        assert!(
            of_q_learning(&asked).is_err_and(|said| said.starts_with("q-initial=none is for Q-learning"))
        );
    }
}
