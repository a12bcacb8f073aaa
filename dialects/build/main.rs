//! Builds the dialect: runs mlir-tblgen, compiles the C++, and lets everything that depends on this crate link
//! against the MLIR of the Debian packages.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a build script speaks to cargo by printing")]

mod llvm;
mod passes;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use llvm::Llvm;

fn main() {
    if let Err(error) = build() {
        eprintln!("ballast-dialects: {error}");
        std::process::exit(1);
    }
}

fn build() -> Result<(), Box<dyn Error>> {
    for input in ["build", "cpp", "td"] {
        println!("cargo:rerun-if-changed={input}");
    }
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let llvm = Llvm::find()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run me through cargo")?);

    generate(&llvm, &out)?;
    passes::generate(&llvm.records(Path::new("td/Passes.td"))?, &out)?;
    compile(&llvm, &out)?;
    link_c_api(&llvm, &out)
}

/// Runs mlir-tblgen for the dialect and for the passes.
fn generate(llvm: &Llvm, out: &Path) -> Result<(), Box<dyn Error>> {
    let dialect = Path::new("td/Ballast.td");
    for (file, arguments) in [
        ("Dialect.h.inc", &["-gen-dialect-decls", "-dialect=ballast"][..]),
        ("Dialect.cpp.inc", &["-gen-dialect-defs", "-dialect=ballast"]),
        ("Enums.h.inc", &["-gen-enum-decls"]),
        ("Enums.cpp.inc", &["-gen-enum-defs"]),
        ("Attributes.h.inc", &["-gen-attrdef-decls", "-attrdefs-dialect=ballast"]),
        ("Attributes.cpp.inc", &["-gen-attrdef-defs", "-attrdefs-dialect=ballast"]),
        ("Types.h.inc", &["-gen-typedef-decls", "-typedefs-dialect=ballast"]),
        ("Types.cpp.inc", &["-gen-typedef-defs", "-typedefs-dialect=ballast"]),
        ("Ops.h.inc", &["-gen-op-decls"]),
        ("Ops.cpp.inc", &["-gen-op-defs"]),
    ] {
        llvm.tablegen(dialect, arguments, &out.join(file))?;
    }
    llvm.tablegen(Path::new("td/Passes.td"), &["-gen-pass-decls", "-name=Ballast"], &out.join("Passes.h.inc"))
}

/// Compiles `cpp/` into one archive, which becomes part of this crate's library.
fn compile(llvm: &Llvm, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut sources: Vec<PathBuf> = fs::read_dir("cpp")?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    sources.sort();
    cc::Build::new()
        .cpp(true)
        // Only clang: libMLIR was built with it, and the identity of an op trait is the trait's name as the
        // compiler spells it. Under g++ everything builds and loads, and a terminator is no terminator.
        .compiler(llvm.clang())
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-isystem")
        .flag(llvm.include())
        .include("cpp")
        .include(out)
        .warnings(true)
        .flag("-Wno-unused-parameter")
        .files(&sources)
        .try_compile("ballast_cpp")
        .map_err(|error| format!("cannot compile the dialect's C++: {error}").into())
}

/// mlir-sys asks the linker for `libMLIR-C.so`, which Debian does not package: a linker script of that name
/// stands for the archives the C API comes in.
fn link_c_api(llvm: &Llvm, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut archives: Vec<String> = fs::read_dir(llvm.libraries())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            (name.starts_with("libMLIRCAPI") && name.ends_with(".a")).then(|| path.display().to_string())
        })
        .collect();
    if archives.is_empty() {
        return Err(format!(
            "no libMLIRCAPI*.a in {}: the package libmlir-22-dev is missing; run `cargo xtask setup`",
            llvm.libraries().display()
        )
        .into());
    }
    archives.sort();
    let folder = out.join("link");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("libMLIR-C.so"), format!("GROUP ( {} )\n", archives.join(" ")))?;
    println!("cargo:rustc-link-search=native={}", folder.display());
    Ok(())
}
