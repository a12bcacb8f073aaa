//! What a symbol reference means: a module inside another one has names of its own.

use std::collections::HashMap;
use std::ffi::c_void;

use ballast_dialects::ir;
use ballast_dialects::operations::is_symbol_table;
use melior::ir::operation::{OperationLike, OperationRef};

/// The named ops of a module and of the modules inside it.
pub(crate) struct Symbols<'c, 'a> {
    /// By table and name; of every table its own place in `tables`.
    by_name: HashMap<(usize, String), OperationRef<'c, 'a>>,
    /// By op that names belong to, the program's module first.
    tables: HashMap<*const c_void, usize>,
    /// All named ops, in program order.
    all: Vec<OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Symbols<'c, 'a> {
    /// The symbols of a program.
    pub(crate) fn of(module: OperationRef<'c, 'a>) -> Self {
        let mut symbols = Symbols { by_name: HashMap::new(), tables: HashMap::new(), all: Vec::new() };
        let inside = ir::nested(module);
        let tables = inside.iter().copied().filter(|op| op.region_count() > 0 && is_symbol_table(op));
        for table in std::iter::once(module).chain(tables) {
            let place = symbols.tables.len();
            symbols.tables.insert(table.to_raw().ptr, place);
            for op in ir::blocks(table).into_iter().flat_map(ir::ops) {
                if let Some(name) = ir::string(op, "sym_name") {
                    symbols.by_name.insert((place, name), op);
                    symbols.all.push(op);
                }
            }
        }
        symbols
    }

    /// All named ops.
    pub(crate) fn all(&self) -> impl Iterator<Item = OperationRef<'c, 'a>> {
        self.all.iter().copied()
    }

    /// What a reference in an op names. Where it goes on inside an op of no dialect that is loaded, that op.
    pub(crate) fn find(&self, from: OperationRef<'c, 'a>, path: &[String]) -> Option<OperationRef<'c, 'a>> {
        let mut around = std::iter::successors(Some(from), |op| op.parent_operation());
        let mut table = around.find_map(|op| self.table(op));
        let mut found = None;
        for name in path {
            let Some(at) = table else { break };
            let op = *self.by_name.get(&(at, name.clone()))?;
            table = self.table(op);
            found = Some(op);
        }
        found
    }

    /// A named op as a message names it: `inner::@state` for one of the module `inner`.
    pub(crate) fn name(&self, op: OperationRef<'c, 'a>) -> String {
        let own = ir::string(op, "sym_name").unwrap_or_default();
        let around = std::iter::successors(op.parent_operation(), |op| op.parent_operation());
        let tables = around.filter(|&op| self.table(op).is_some_and(|place| place > 0));
        let outer = tables.filter_map(|table| ir::string(table, "sym_name"));
        outer.fold(own, |name, outer| format!("{outer}::@{name}"))
    }

    /// The place of an op that names belong to.
    fn table(&self, op: OperationRef<'c, 'a>) -> Option<usize> {
        self.tables.get(&op.to_raw().ptr.cast_const()).copied()
    }
}
