//! What a fitted program says of itself: the cap that it was fitted to. Its plan says another, the one that made XLA keep this.

/// How the line begins, which is a comment to MLIR.
const MARK: &str = "// ballast fit: measured under a cap of ";
const UNIT: &str = " bytes";

/// The line in front of a program.
pub(crate) fn line(cap_bytes: u64) -> String {
    format!("{MARK}{cap_bytes}{UNIT}\n")
}

/// The cap that a program was fitted to, bytes. None: it was not, or was read and written since.
pub(crate) fn cap_bytes(program: &str) -> Option<u64> {
    program.lines().next()?.strip_prefix(MARK)?.strip_suffix(UNIT)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{cap_bytes, line};

    #[test]
    fn the_cap_of_a_fitted_program_is_read_as_it_was_written() {
        let program = "module {\n}\n";
        assert_eq!(cap_bytes(&(line(786_432) + program)), Some(786_432));
        assert_eq!((cap_bytes(program), cap_bytes(""), cap_bytes("// a note\n")), (None, None, None));
    }
}
