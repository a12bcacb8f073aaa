//! What the name of an op says by itself.

/// Ops that are too expensive to be computed in two fusions: what XLA's `IsExpensive` lists (openxla/xla, `instruction_fusion.cc`).
const EXPENSIVE: [&str; 27] = [
    "atan2",
    "cbrt",
    "cos",
    "cosine",
    "divf",
    "divide",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "exponential",
    "exponential_minus_one",
    "log",
    "log1p",
    "log_plus_one",
    "logistic",
    "pow",
    "power",
    "powf",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sine",
    "sqrt",
    "tan",
    "tanh",
];

/// Is an op too expensive to be computed in two fusions, by its name?
pub(crate) fn is_expensive(name: &str) -> bool {
    EXPENSIVE.binary_search(&last_name(name)).is_ok()
}

/// Name of an op without its dialect.
pub(crate) fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::EXPENSIVE;

    #[test]
    fn the_table_is_sorted() {
        assert!(EXPENSIVE.is_sorted());
    }
}
