//! What pages, tables and JSON say alike: the figures of a plan, its stop reason, its source locations.

use ballast_core::plan::Plan;

/// A location without the folders of its file: `name at file:line:column`, or either of the two.
#[must_use]
pub fn short_location(text: &str) -> String {
    let (label, place) = match text.rsplit_once(" at ") {
        Some((label, place)) => (format!("{label} at "), place),
        None => (String::new(), text),
    };
    let is_place =
        place.rsplit(':').take(2).all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let file = if is_place { place.rsplit('/').next().unwrap_or(place) } else { place };
    format!("{label}{file}")
}

/// The stop reason as the plan file spells it.
#[must_use]
pub fn stop(plan: &Plan) -> String {
    serde_json::to_value(plan.stop_reason)
        .ok()
        .and_then(|value| value.as_str().map(|text| text.replace('_', " ")))
        .unwrap_or_default()
}

/// What a plan says apart from its single ops: the figures of the report, as JSON.
///
/// # Errors
/// Figures that JSON has no form for, which is a bug.
pub fn summary(plan: &Plan) -> Result<serde_json::Value, serde_json::Error> {
    let mut short = plan.clone();
    short.ops.clear();
    short.stages.iter_mut().for_each(|stage| (stage.memory, stage.arena) = (None, None));
    let mut value = serde_json::to_value(short)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("ops");
        fields.insert("planned_ops".to_owned(), plan.ops.len().into());
    }
    Ok(value)
}
