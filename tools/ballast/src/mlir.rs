//! Programs given where JSON is read: told apart, so that the message says what to do.

/// How a program becomes the graph that is planned in its place.
pub(crate) const HOW_TO_GRAPH: &str = "this is MLIR, and what is read here is JSON: `ballast-opt FILE --allow-unregistered-dialect \
     --remat=\"solver=keep-all cap=100% graph-file=graph.json\" -o /dev/null` writes the graph of the program, which can be given in its place";

/// Does a text look like MLIR? Its first line that is no comment begins a module, a function, or an alias of an attribute or a type.
pub(crate) fn is_mlir(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let first = lines.next().unwrap_or_default();
    // A word that goes on, or text behind it, is prose.
    let begins = |word: &str, next: &[&str]| {
        first.strip_prefix(word).is_some_and(|rest| {
            let is_apart = rest.starts_with([' ', '@', '{', '(']);
            is_apart && next.iter().any(|next| rest.trim_start().starts_with(next))
        })
    };
    let is_alias = || {
        let named = first.strip_prefix(['#', '!']).and_then(|rest| rest.split_once(" = "));
        let word = |char: char| char.is_ascii_alphanumeric() || "_.$-".contains(char);
        named.is_some_and(|(name, _)| !name.is_empty() && name.chars().all(word))
    };
    begins("module", &["{", "@", "attributes"])
        || begins("builtin.module", &["{", "@", "attributes"])
        || begins("func.func", &["@", "public", "private"])
        || ["\"builtin.module\"", "\"func.func\""].iter().any(|op| begins(op, &["("]))
        || is_alias()
}

#[cfg(test)]
mod tests {
    use super::is_mlir;

    #[test]
    fn mlir_is_told_from_prose_and_json() {
        for text in [
            "module {\n}\n",
            "// A comment.\n\nmodule @jit_step attributes {a = 1} {\n}\n",
            "  \"builtin.module\"() ({\n}) : () -> ()\n",
            "func.func @main() { return }",
            "#map = affine_map<() -> ()>\nmodule {}",
            "!type = tensor<2xf32>\n",
        ] {
            assert!(is_mlir(text), "{text}");
        }
        for text in [
            "# Ballast\n\nA pass plugin.\n",
            "#!/bin/sh\na = b\n",
            "module loads what = is there\n",
            "modules {",
            "// Only a comment.\n",
            "{\"nodes\": []}",
            "",
        ] {
            assert!(!is_mlir(text), "{text}");
        }
    }
}
