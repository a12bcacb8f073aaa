//! Programs of others: IR as text, read by MLIR and given to the passes, which are loaded as a host loads a plugin.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects, register_all_passes};
use mlir_sys::{MlirDialectRegistry, MlirStringRef, mlirModuleCreateParse};

/// What is run on a program, in turn. What one accepts is valid input of the next: the last may not refuse what the first wrote.
const PIPELINES: [&[&str]; 10] = [
    &[
        "rl-partition{devices=2 work-limit=20 time-limit=0.3},remat{cap=70% work-limit=20 time-limit=0.3}",
        "ballast-verify,ballast-report{format=json output=/dev/null}",
    ],
    &["remat{cap=60% work-limit=20 time-limit=0.3}", "ballast-verify", "ballast-apply"],
    &["remat{cap=50% fusion=none overlap=true order=free work-limit=20 time-limit=0.3}", "ballast-verify"],
    &[
        "rl-partition{devices=2 schedule=1f1b micro-batches=3 work-limit=20 time-limit=0.3},remat{schedule=1f1b micro-batches=3 cap=80% work-limit=20 time-limit=0.3}",
        "ballast-verify",
    ],
    &["ballast-unroll{max-ops=300},remat{cap=80% dynamic-dim=3 work-limit=20 time-limit=0.3}"],
    &[
        "ballast-depthwise-gradients,ballast-gather-gradients,ballast-pool-gradients,ballast-wide-products,ballast-inline,ballast-split-ops{keys-file=/dev/null}",
    ],
    &["ballast-verify"],
    &["ballast-apply,ballast-strip"],
    &["ballast-outline"],
    &["rl-partition{devices=2 method=dp work-limit=20 time-limit=0.3},ballast-outline,ballast-rank"],
];

/// Programs that a context is used for; what MLIR makes unique in it stays for as long as it lives.
const PROGRAMS: usize = 128;

/// What bytecode begins with.
const BYTECODE: &[u8] = b"ML\xefR";

/// A context with the dialect, and what was said in it.
struct Host {
    context: Context,
    said: Rc<RefCell<Vec<String>>>,
    programs: usize,
}

#[repr(C)]
struct PassPlugin {
    version: u32,
    name: *const c_char,
    library_version: *const c_char,
    register: extern "C" fn(),
}

#[repr(C)]
struct DialectPlugin {
    version: u32,
    name: *const c_char,
    library_version: *const c_char,
    register: extern "C" fn(*mut c_void),
}

/// The library of the passes: beside this program, or in the folder above, where cargo puts it for tests.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    let folders = program.ancestors().skip(1).take(2);
    folders
        .map(|folder| folder.join("libballast.so"))
        .find(|path| path.exists())
        .expect("libballast.so is built")
}

thread_local! {
    static REGISTRY: DialectRegistry = registry();
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

fn registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register_all_passes();
    // SAFETY: the library is ours, and the two functions are those of MLIR's plugin interface, which these types are of.
    unsafe {
        let library = Library::open(Some(library()), RTLD_NOW | RTLD_GLOBAL).expect("the library opens");
        let passes =
            library.get::<extern "C" fn() -> PassPlugin>(b"mlirGetPassPluginInfo").expect("a plugin")();
        let dialects =
            library.get::<extern "C" fn() -> DialectPlugin>(b"mlirGetDialectPluginInfo").expect("a plugin")();
        (passes.register)();
        let MlirDialectRegistry { ptr } = registry.to_raw();
        (dialects.register)(ptr);
        // MLIR's registries point into it until the process ends.
        std::mem::forget(library);
    }
    registry
}

impl Host {
    fn new() -> Self {
        let context = REGISTRY.with(|registry| Context::new_with_registry(registry, false));
        context.set_allow_unregistered_dialects(true);
        let said: Rc<RefCell<Vec<String>>> = Rc::default();
        let hear = Rc::clone(&said);
        context.attach_diagnostic_handler(move |diagnostic| {
            // Bytes that are no text end it early.
            let mut text = String::new();
            let _ = write!(text, "{diagnostic}");
            hear.borrow_mut().push(text);
            true
        });
        Host { context, said, programs: 0 }
    }

    /// Runs the passes; were they done?
    fn run(&self, module: &mut Module<'_>, pipeline: &str) -> Option<bool> {
        self.said.borrow_mut().clear();
        let manager = PassManager::new(&self.context);
        parse_pass_pipeline(manager.as_operation_pass_manager(), &format!("builtin.module({pipeline})"))
            .ok()?;
        let done = manager.run(module).is_ok();
        let said = self.said.borrow();
        assert!(!said.iter().any(|text| text.contains("internal error")), "{pipeline}: {said:?}");
        Some(done)
    }
}

/// The first byte chooses the passes; 255: they are on the first line. The others are the program.
///
/// # Panics
/// On a bug in a pass, on a failed pass that says nothing, and where a planned program is refused.
pub fn run(input: &[u8]) {
    let Some((&which, program)) = input.split_first() else { return };
    // MLIR's reader of bytecode dies of damaged files, also in a driver without these passes.
    if program.starts_with(BYTECODE) {
        return;
    }
    HOST.with_borrow_mut(|host| {
        if host.as_ref().is_none_or(|host| host.programs >= PROGRAMS) {
            *host = None;
            *host = Some(Host::new());
        }
        let Some(host) = host else { return };
        host.programs += 1;
        if which == u8::MAX {
            let line = program.iter().position(|&byte| byte == b'\n').unwrap_or(program.len());
            let Ok(pipeline) = std::str::from_utf8(&program[..line]) else { return };
            // Those of ours, without options that name files.
            let ours = ["rl-partition", "remat", "ballast-"].iter().any(|start| pipeline.starts_with(start));
            let files = ["file", "output", "network", "table", "cluster", "profile", "/", ".", "limit"];
            if ours && !pipeline.contains(',') && !files.iter().any(|word| pipeline.contains(word)) {
                let limited = pipeline.replacen('{', "{work-limit=20 time-limit=0.3 ", 1);
                passes(host, &program[line..], &[&limited]);
            }
        } else {
            passes(host, program, PIPELINES[usize::from(which) % PIPELINES.len()]);
        }
    });
}

fn passes(host: &Host, program: &[u8], pipelines: &[&str]) {
    let Some(mut module) = parse(host, program) else { return };
    for (index, pipeline) in pipelines.iter().enumerate() {
        match host.run(&mut module, pipeline) {
            Some(true) => {}
            None => return,
            Some(false) => {
                let said = host.said.borrow();
                assert!(!said.is_empty(), "{pipeline} fails and says nothing");
                assert_eq!(index, 0, "{pipeline} refuses what {} wrote: {said:?}", pipelines[0]);
                return;
            }
        }
    }
}

fn parse<'c>(host: &'c Host, program: &[u8]) -> Option<Module<'c>> {
    let mut text = program.to_vec();
    // MLIR's reader looks for it, and does not count it.
    text.push(0);
    let view = MlirStringRef { data: text.as_ptr().cast(), length: program.len() };
    // SAFETY: the bytes outlive the call, and are followed by a zero; what is made belongs to the module.
    unsafe {
        let module = mlirModuleCreateParse(host.context.to_raw(), view);
        (!module.ptr.is_null()).then(|| Module::from_raw(module))
    }
}
