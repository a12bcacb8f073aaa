//! Text that is safe to print: a terminal obeys control characters, and names come from other people's files.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with every character that a terminal would obey written as its escape, such as `\u{1b}`. Line ends and tabs stay.
///
/// Control characters of both sets (Unicode category Cc), and those that turn the direction of text around, with which what is
/// shown can be made to differ from what is there.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if obeyed(character) {
            let _ = write!(shown, "{}", character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn obeyed(character: char) -> bool {
    let turns =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_nothing_else() {
        let kept = "@main: 3.5 µs ± 1 │ 100 %\n\tλ 名";
        assert_eq!(printable(kept), kept);
        // Clears the screen; sets the title; the one-byte form of CSI; rings; goes back to the start of the line; turns text around.
        let shown = printable("a\x1b[2Jb\x1b]0;t\x07c\u{9b}2Jd\r\u{202e}e\x7f");
        assert_eq!(shown, r"a\u{1b}[2Jb\u{1b}]0;t\u{7}c\u{9b}2Jd\u{d}\u{202e}e\u{7f}");
    }
}
