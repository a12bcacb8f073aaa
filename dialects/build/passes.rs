//! Writes what joins a pass's `.td` record to Rust: the C++ pass that hands its options over, and the Rust types they
//! arrive in. The record stays the only place where an option is named.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// How the values of one kind of option cross from C++ to Rust.
#[derive(Clone, Debug)]
enum Kind {
    Text,
    Real,
    Count,
    Flag,
    Choice(String),
}

#[derive(Debug)]
struct Field {
    /// Name of the option on the command line.
    argument: String,
    /// Name of the member in C++.
    member: String,
    description: String,
    kind: Kind,
    /// The default, as C++ writes it.
    default: String,
    /// The least and the largest value of a number, as the record writes them.
    range: Option<(String, String)>,
}

impl Field {
    fn rust_name(&self) -> String {
        self.argument.replace('-', "_")
    }

    /// The default, as Rust writes it.
    fn rust_default(&self) -> String {
        let symbol = self.default.rsplit("::").next().unwrap_or_default();
        match &self.kind {
            Kind::Text => format!("{}.to_owned()", self.default),
            Kind::Real => format!("{}_f64", self.default),
            Kind::Count | Kind::Flag => self.default.clone(),
            Kind::Choice(name) => format!("{name}::{symbol}"),
        }
    }
}

#[derive(Debug)]
struct Pass {
    /// Record name, in camel case.
    name: String,
    argument: String,
    summary: String,
    fields: Vec<Field>,
}

impl Pass {
    fn method(&self) -> String {
        self.argument.replace('-', "_")
    }
}

/// A list of names an option may take: C++ symbol, text, summary.
#[derive(Debug)]
struct Choices {
    name: String,
    summary: String,
    values: Vec<(String, String, String)>,
}

/// Writes `PassEnums.h.inc`, `PassTable.h.inc`, `Passes.cpp.inc` for C++ and `passes.rs` for Rust.
pub(crate) fn generate(records: &Value, out: &Path) -> Result<(), Box<dyn Error>> {
    let choices = instances(records, "Choices")?
        .map(|record| read_choices(records, record))
        .collect::<Result<Vec<_>, _>>()?;
    let passes = instances(records, "Pass")?
        .map(|record| read_pass(records, record))
        .collect::<Result<Vec<_>, _>>()?;
    for (file, text) in [
        ("PassEnums.h.inc", cpp_enums(&choices)),
        ("PassTable.h.inc", cpp_table(&passes)),
        ("Passes.cpp.inc", cpp_passes(&passes)),
        ("passes.rs", rust(&choices, &passes)),
    ] {
        fs::write(out.join(file), text?)?;
    }
    Ok(())
}

fn instances<'r>(records: &'r Value, class: &str) -> Result<impl Iterator<Item = &'r Value>, String> {
    let names =
        records["!instanceof"][class].as_array().ok_or_else(|| format!("no records of class {class}"))?;
    Ok(names.iter().filter_map(Value::as_str).map(|name| &records[name]))
}

fn text(record: &Value, field: &str) -> Result<String, String> {
    record[field]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("record without text field {field}: {record}"))
}

fn references<'r>(records: &'r Value, list: &'r Value) -> impl Iterator<Item = &'r Value> {
    list.as_array().into_iter().flatten().filter_map(|item| item["def"].as_str()).map(|name| &records[name])
}

fn read_choices(records: &Value, record: &Value) -> Result<Choices, String> {
    let values = references(records, &record["values"])
        .map(|value| Ok((text(value, "symbol")?, text(value, "name")?, text(value, "summary")?)))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Choices { name: text(record, "enumName")?, summary: text(record, "summary")?, values })
}

fn read_pass(records: &Value, record: &Value) -> Result<Pass, String> {
    let fields = references(records, &record["options"])
        .map(|option| {
            let cpp_type = text(option, "type")?;
            let kind = match cpp_type.as_str() {
                "std::string" => Kind::Text,
                "double" => Kind::Real,
                "uint64_t" => Kind::Count,
                "bool" => Kind::Flag,
                other => Kind::Choice(other.trim_start_matches("::ballast::").to_owned()),
            };
            let range = match kind {
                Kind::Real | Kind::Count => Some((text(option, "low")?, text(option, "high")?)),
                _ => None,
            };
            Ok(Field {
                range,
                argument: text(option, "argument")?,
                member: text(option, "cppName")?,
                description: text(option, "description")?,
                default: text(option, "defaultValue")?,
                kind,
            })
        })
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Pass {
        name: text(record, "!name")?,
        argument: text(record, "argument")?,
        summary: text(record, "summary")?,
        fields,
    })
}

type Written = Result<String, std::fmt::Error>;

fn cpp_enums(choices: &[Choices]) -> Written {
    let mut out = String::new();
    for choice in choices {
        let symbols: Vec<&str> = choice.values.iter().map(|(symbol, ..)| symbol.as_str()).collect();
        writeln!(out, "enum class {} : int32_t {{ {} }};", choice.name, symbols.join(", "))?;
    }
    Ok(out)
}

fn cpp_table(passes: &[Pass]) -> Written {
    let mut out = String::new();
    for pass in passes {
        writeln!(out, "struct Raw{}Options {{", pass.name)?;
        for field in &pass.fields {
            let cpp_type = match field.kind {
                Kind::Text => "MlirStringRef",
                Kind::Real => "double",
                Kind::Count => "uint64_t",
                Kind::Flag => "bool",
                Kind::Choice(_) => "int32_t",
            };
            writeln!(out, "  {cpp_type} {};", field.member)?;
        }
        // An empty struct has another size in C++ than in C.
        if pass.fields.is_empty() {
            writeln!(out, "  uint8_t unused;")?;
        }
        writeln!(out, "}};")?;
    }
    writeln!(out, "struct PassTable {{")?;
    for pass in passes {
        writeln!(out, "  bool (*{})(MlirOperation, const Raw{}Options *);", pass.method(), pass.name)?;
    }
    writeln!(out, "}};")?;
    Ok(out)
}

fn cpp_passes(passes: &[Pass]) -> Written {
    let mut out = String::new();
    for pass in passes {
        writeln!(out, "struct {0} : impl::{0}Base<{0}> {{", pass.name)?;
        writeln!(out, "  using {}Base::{}Base;", pass.name, pass.name)?;
        writeln!(out, "  void runOnOperation() override {{")?;
        writeln!(out, "    Raw{}Options raw{{}};", pass.name)?;
        for field in &pass.fields {
            let member = &field.member;
            match field.kind {
                Kind::Text => writeln!(out, "    raw.{member} = view({member}.getValue());")?,
                Kind::Choice(_) => {
                    writeln!(out, "    raw.{member} = static_cast<int32_t>({member}.getValue());")?
                }
                _ => writeln!(out, "    raw.{member} = {member};")?,
            }
        }
        writeln!(out, "    if (!table.{}(wrap(getOperation().getOperation()), &raw))", pass.method())?;
        writeln!(out, "      signalPassFailure();\n  }}\n}};")?;
    }
    writeln!(out, "void registerPasses() {{")?;
    for pass in passes {
        writeln!(out, "  mlir::PassRegistration<{}>();", pass.name)?;
    }
    writeln!(out, "}}")?;
    Ok(out)
}

fn rust(choices: &[Choices], passes: &[Pass]) -> Written {
    let mut out = String::new();
    for choice in choices {
        rust_enum(&mut out, choice)?;
    }
    for pass in passes {
        rust_options(&mut out, pass)?;
        rust_ranges(&mut out, pass)?;
    }
    rust_table(&mut out, passes)?;
    Ok(out)
}

/// What every pass does, as Rust sees it and as C++ does.
fn rust_table(out: &mut String, passes: &[Pass]) -> std::fmt::Result {
    writeln!(out, "/// What every pass does.\n#[derive(Clone, Copy, Debug)]\npub struct Passes {{")?;
    for pass in passes {
        writeln!(
            out,
            "    /// `--{}`: {}\n    pub {}: Run<{}Options>,",
            pass.argument,
            pass.summary,
            pass.method(),
            pass.name
        )?;
    }
    writeln!(out, "}}\n\n#[repr(C)]\nstruct PassTable {{")?;
    for pass in passes {
        let (method, name) = (pass.method(), &pass.name);
        writeln!(
            out,
            "    {method}: unsafe extern \"C\" fn(MlirOperation, *const Raw{name}Options) -> bool,"
        )?;
    }
    writeln!(out, "}}\n\nconst TABLE: PassTable = PassTable {{")?;
    for pass in passes {
        writeln!(out, "    {0}: {0}_entry,", pass.method())?;
    }
    writeln!(out, "}};\n")?;
    for pass in passes {
        writeln!(
            out,
            "unsafe extern \"C\" fn {method}_entry(module: MlirOperation, raw: *const Raw{name}Options) -> bool {{\n    \
             // SAFETY: called by the C++ pass alone, with the live op it runs on and options that outlive the call.\n    \
             unsafe {{ run(\"{argument}\", module, || {name}Options::from_raw(&*raw), |passes| passes.{method}) }}\n}}\n",
            method = pass.method(),
            name = pass.name,
            argument = pass.argument
        )?;
    }
    let runs: Vec<String> = passes.iter().map(|pass| format!("{0}: {0}::run", pass.method())).collect();
    writeln!(
        out,
        "/// The [`Passes`] that the modules in scope carry out: each is named as its pass, and has a function `run`.\n\
         #[macro_export]\nmacro_rules! passes_in_scope {{\n    () => {{\n        $crate::passes::Passes {{ {} }}\n    }};\n}}",
        runs.join(", ")
    )
}

fn rust_enum(out: &mut String, choice: &Choices) -> std::fmt::Result {
    writeln!(out, "/// {}.", choice.summary)?;
    writeln!(out, "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum {} {{", choice.name)?;
    for (symbol, name, summary) in &choice.values {
        writeln!(out, "    /// `{name}`: {summary}.\n    {symbol},")?;
    }
    writeln!(out, "}}\n\nimpl {} {{", choice.name)?;
    writeln!(out, "    /// The name as written in options.\n    #[must_use]")?;
    writeln!(out, "    pub fn name(self) -> &'static str {{\n        match self {{")?;
    for (symbol, name, _) in &choice.values {
        writeln!(out, "            Self::{symbol} => \"{name}\",")?;
    }
    writeln!(out, "        }}\n    }}\n\n    /// The value of that name, if there is one.\n    #[must_use]")?;
    writeln!(out, "    pub fn of_name(name: &str) -> Option<Self> {{\n        match name {{")?;
    for (symbol, name, _) in &choice.values {
        writeln!(out, "            \"{name}\" => Some(Self::{symbol}),")?;
    }
    writeln!(
        out,
        "            _ => None,\n        }}\n    }}\n\n    fn from_raw(raw: i32) -> Self {{\n        match raw {{"
    )?;
    for (index, (symbol, ..)) in choice.values.iter().enumerate() {
        writeln!(out, "            {index} => Self::{symbol},")?;
    }
    writeln!(out, "            other => panic!(\"{} has no value {{other}}\"),", choice.name)?;
    writeln!(out, "        }}\n    }}\n}}\n")
}

/// The check that every number lies in the range its record names.
fn rust_ranges(out: &mut String, pass: &Pass) -> std::fmt::Result {
    writeln!(
        out,
        "impl Ranges for {}Options {{\n    fn check_ranges(&self) -> Result<(), String> {{",
        pass.name
    )?;
    for field in &pass.fields {
        let (Some((low, high)), argument, name) = (&field.range, &field.argument, field.rust_name()) else {
            continue;
        };
        let (low, high, check) = match field.kind {
            Kind::Real => (format!("{low}_f64"), format!("{high}_f64"), "number"),
            _ => (low.clone(), high.clone(), "count"),
        };
        writeln!(out, "        {check}(\"{argument}\", self.{name}, {low}, {high})?;")?;
    }
    writeln!(out, "        Ok(())\n    }}\n}}\n")
}

fn rust_options(out: &mut String, pass: &Pass) -> std::fmt::Result {
    writeln!(out, "/// Options of `--{}`.", pass.argument)?;
    writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub struct {}Options {{", pass.name)?;
    for field in &pass.fields {
        let rust_type = match &field.kind {
            Kind::Text => "String",
            Kind::Real => "f64",
            Kind::Count => "u64",
            Kind::Flag => "bool",
            Kind::Choice(name) => name,
        };
        writeln!(out, "    /// {}\n    pub {}: {rust_type},", field.description, field.rust_name())?;
    }
    writeln!(
        out,
        "}}\n\n#[allow(clippy::derivable_impls, reason = \"written for every pass alike\")]\nimpl Default for {}Options {{\n    fn default() -> Self {{\n        Self {{",
        pass.name
    )?;
    for field in &pass.fields {
        writeln!(out, "            {}: {},", field.rust_name(), field.rust_default())?;
    }
    writeln!(out, "        }}\n    }}\n}}\n\n#[repr(C)]\nstruct Raw{}Options {{", pass.name)?;
    for field in &pass.fields {
        let raw_type = match &field.kind {
            Kind::Text => "MlirStringRef",
            Kind::Real => "f64",
            Kind::Count => "u64",
            Kind::Flag => "bool",
            Kind::Choice(_) => "i32",
        };
        writeln!(out, "    {}: {raw_type},", field.rust_name())?;
    }
    if pass.fields.is_empty() {
        writeln!(out, "    unused: u8,")?;
    }
    writeln!(out, "}}\n\nimpl {}Options {{", pass.name)?;
    writeln!(out, "    unsafe fn from_raw(raw: &Raw{}Options) -> Self {{", pass.name)?;
    if pass.fields.is_empty() {
        writeln!(out, "        let _ = raw.unused;")?;
    }
    writeln!(out, "        Self {{")?;
    for field in &pass.fields {
        let name = field.rust_name();
        match &field.kind {
            // SAFETY (of the written code): the C++ option owns the bytes for the whole call.
            Kind::Text => writeln!(out, "            {name}: unsafe {{ owned(raw.{name}) }},")?,
            Kind::Choice(choice) => writeln!(out, "            {name}: {choice}::from_raw(raw.{name}),")?,
            _ => writeln!(out, "            {name}: raw.{name},")?,
        }
    }
    writeln!(out, "        }}\n    }}\n}}\n")
}
