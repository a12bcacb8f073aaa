//! The figures of a plan, from the text of the program that carries it: `ballast.plan` or `ballast.applied`.

use ballast_core::device::DeviceId;
use ballast_core::units::{Bytes, told_apart};
use serde::Serialize;

/// What every plan begins with.
const PLAN: &str = "#ballast.plan<";

/// Figures of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlanFigures {
    /// Devices planned for, idle ones included.
    pub(crate) devices: usize,
    /// Slowest over fastest stage; none where one has no time.
    pub(crate) ratio: Option<f64>,
    /// Stages of the devices in use.
    pub(crate) stages: Vec<StageFigures>,
}

/// Figures of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct StageFigures {
    /// The device.
    pub(crate) device: DeviceId,
    /// Most device memory it may take: the cap asked for, or what that was raised to where no plan kept it.
    pub(crate) cap_bytes: u64,
    /// The cap asked for.
    pub(crate) requested_cap_bytes: u64,
    /// Most device memory it takes.
    pub(crate) peak_bytes: u64,
    /// Most device memory it takes without recomputation and swaps.
    pub(crate) unplanned_peak_bytes: u64,
    /// Most host memory it takes.
    pub(crate) host_peak_bytes: u64,
    /// Its time.
    pub(crate) seconds: f64,
    /// Its time without recomputation and swaps.
    pub(crate) unplanned_seconds: f64,
    /// Do cap and peak leave arguments and results out?
    pub(crate) temporaries_only: bool,
}

impl StageFigures {
    /// Its cap, with the one asked for where that was raised.
    pub(crate) fn caps(&self) -> String {
        let (cap, requested) = (Bytes(self.cap_bytes), Bytes(self.requested_cap_bytes));
        if cap == requested {
            return cap.to_string();
        }
        let [cap, requested] = told_apart([cap, requested]);
        format!("{cap}, asked {requested}")
    }
}

impl PlanFigures {
    /// Finds the plan of a function in a program; of the only public one, or `main`, where the name is empty.
    pub(crate) fn find(program: &str, function: &str) -> Option<Self> {
        let text = function_text(program, function.trim_start_matches('@'))?;
        let plan = &text[text.find(PLAN)?..];
        let (head, stages) = plan.split_once("stages = [")?;
        let (stages, settings) = stages.split_once(">]")?;
        let temporaries_only = settings.contains("cap_counts = \"temp\"");
        let stages: Vec<StageFigures> = stages
            .split('<')
            .skip(1)
            .map(|stage| {
                Some(StageFigures {
                    device: DeviceId(field(stage, "device")?),
                    cap_bytes: field(stage, "cap")?,
                    requested_cap_bytes: field(stage, "requested_cap")?,
                    peak_bytes: field(stage, "peak")?,
                    unplanned_peak_bytes: field(stage, "unplanned_peak")?,
                    host_peak_bytes: field(stage, "host_peak").unwrap_or(0),
                    seconds: field(stage, "seconds")?,
                    unplanned_seconds: field(stage, "unplanned_seconds")?,
                    temporaries_only,
                })
            })
            .collect::<Option<_>>()?;
        Some(PlanFigures { devices: field(head, "devices")?, ratio: field(head, "ratio"), stages })
    }

    /// The only stage of a plan that has one.
    pub(crate) fn only_stage(&self) -> Option<StageFigures> {
        match self.stages.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// Does any function of a program carry a plan?
pub(crate) fn is_in(program: &str) -> bool {
    program.contains(PLAN)
}

/// The text of a function, from its op's name to that of the next: in the generic form attributes come last.
fn function_text<'a>(program: &'a str, wanted: &str) -> Option<&'a str> {
    let functions: Vec<&str> = program.split("func.func").skip(1).collect();
    let name = |text: &&str| -> Option<String> {
        let symbol = match text.split_once("sym_name = \"") {
            // In the generic form the name is quoted behind it.
            Some((_, rest)) if text.starts_with('"') => rest.split('"').next()?,
            _ => text.split_once('@')?.1.split('(').next()?,
        };
        Some(symbol.trim_matches('"').to_owned())
    };
    let named = |wanted: &str| functions.iter().find(|text| name(text).as_deref() == Some(wanted)).copied();
    if !wanted.is_empty() {
        return named(wanted);
    }
    let is_private = |text: &str| {
        text.starts_with(" private")
            || (text.starts_with('"') && text.contains("sym_visibility = \"private\""))
    };
    let mut public = functions.iter().copied().filter(|text| !is_private(text));
    match (public.next(), public.next()) {
        (Some(only), None) => Some(only),
        _ => named("main"),
    }
}

/// A field of an attribute.
fn field<T: std::str::FromStr>(text: &str, name: &str) -> Option<T> {
    text.split([',', '>']).find_map(|field| {
        let (key, value) = field.split_once('=')?;
        let key = key.rsplit('<').next()?;
        (key.trim() == name).then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::{DeviceId, PlanFigures, StageFigures, is_in};

    const STAGE: &str = "<device = 0, cap = 64, requested_cap = 60, peak = 32, unplanned_peak = 40, host_peak = 8, seconds = 1.5e-6, \
                         unplanned_seconds = 1.0e-6, bound = 1.5e-6>";

    #[test]
    fn figures_of_every_stage_are_found_in_the_text() {
        let other = STAGE.replace("device = 0", "device = 2").replace(" host_peak = 8,", "");
        let text = format!(
            "func.func @main() attributes {{ballast.applied = #ballast.plan<version = 1, devices = 3, tmax = 1.0, ratio = 1.25, stages = [{STAGE}, \
             {other}], settings = {{cap = \"\"}}>}}"
        );
        let plan = PlanFigures::find(&text, "").unwrap();
        let first = StageFigures {
            device: DeviceId(0),
            cap_bytes: 64,
            requested_cap_bytes: 60,
            peak_bytes: 32,
            unplanned_peak_bytes: 40,
            host_peak_bytes: 8,
            seconds: 1.5e-6,
            unplanned_seconds: 1.0e-6,
            temporaries_only: false,
        };
        assert_eq!((plan.devices, plan.ratio, plan.stages[0]), (3, Some(1.25), first));
        assert_eq!(first.caps(), "64 B, asked 60 B");
        assert_eq!(StageFigures { requested_cap_bytes: 64, ..first }.caps(), "64 B");
        assert_eq!((plan.stages[1].device, plan.stages[1].host_peak_bytes), (DeviceId(2), 0));
        assert_eq!(plan.only_stage(), None);
        let counted = text.replace("{cap = \"\"}", "{cap_counts = \"temp\"}");
        assert!(PlanFigures::find(&counted, "").unwrap().stages[0].temporaries_only);
    }

    #[test]
    fn a_plan_with_one_stage_has_an_only_one() {
        let text = format!(
            "func.func @main() {{ballast.plan = #ballast.plan<version = 1, devices = 1, stages = [{STAGE}]>}}"
        );
        let plan = PlanFigures::find(&text, "").unwrap();
        assert_eq!((plan.only_stage().unwrap().peak_bytes, plan.ratio), (32, None));
        assert_eq!(PlanFigures::find("func.func @main() { return }", ""), None);
    }

    #[test]
    fn of_several_functions_it_is_the_plan_of_the_one_asked_for() {
        let stage = |peak: u64| STAGE.replace("peak = 32", &format!("peak = {peak}"));
        let plan = |peak| {
            format!("ballast.plan = #ballast.plan<version = 1, devices = 1, stages = [{}]>", stage(peak))
        };
        let pretty = format!(
            "func.func @aux() attributes {{{}}} {{ return }} func.func @main() attributes {{{}}} {{ return }} func.func private @\"in ner\"()",
            plan(1),
            plan(2)
        );
        let of =
            |text: &str, function| PlanFigures::find(text, function).map(|plan| plan.stages[0].peak_bytes);
        // A plan of the body of a loop is none of the program, and is to be carried out all the same.
        let body =
            format!("func.func @main() {{ return }} func.func private @body() attributes {{{}}}", plan(1));
        assert_eq!((of(&body, "main"), of(&body, ""), is_in(&body)), (None, None, true));
        assert!(!is_in("func.func @main() { return }"));
        assert_eq!([of(&pretty, ""), of(&pretty, "@aux"), of(&pretty, "in ner")], [Some(2), Some(1), None]);
        let op = |name, visibility, peak| {
            format!(
                "\"func.func\"() <{{sym_name = \"{name}\"{visibility}}}> ({{}}) {{{}}} : () -> ()\n",
                plan(peak)
            )
        };
        let generic = op("first", ", sym_visibility = \"private\"", 3) + &op("second", "", 4);
        assert_eq!([of(&generic, ""), of(&generic, "first"), of(&generic, "main")], [Some(4), Some(3), None]);
    }
}
