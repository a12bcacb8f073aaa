//! Tables for people: of a terminal's width, or in Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// What fits a terminal.
const COLUMNS: u16 = 80;

/// A table for a terminal; what does not fit is wrapped.
pub(crate) fn terminal<T: ToString>(heads: &[T]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(COLUMNS)
        .set_header(heads.iter().map(ToString::to_string));
    table
}

/// A table of a Markdown page, as wide as its cells.
pub(crate) fn markdown<T: ToString>(heads: &[T]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(heads.iter().map(ToString::to_string));
    table
}

/// The same table with figures to the right, the first column to the left.
pub(crate) fn figures(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
