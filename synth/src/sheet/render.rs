//! Templates, filled in.

use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::SynthError;
use crate::plot;

/// Every page, and what pages are made of.
const TEMPLATES: [(&str, &str); 8] = [
    ("base", include_str!("../templates/base.html")),
    ("parts", include_str!("../templates/parts.html")),
    ("sheet", include_str!("../templates/sheet.html")),
    ("report", include_str!("../templates/report.html")),
    ("cores", include_str!("../templates/cores.html")),
    ("runs", include_str!("../templates/runs.html")),
    ("recordings", include_str!("../templates/recordings.html")),
    ("index", include_str!("../templates/index.html")),
];

/// The style sheet of a page.
pub(crate) fn style() -> String {
    format!("{}{}", include_str!("../templates/page.css"), *plot::STYLE)
}

/// The page of a template.
///
/// # Errors
/// [`SynthError::Page`], where a template is broken.
pub(crate) fn render(template: &str, context: &impl Serialize) -> Result<String, SynthError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let failed = |error: minijinja::Error| SynthError::Page { message: format!("{error:#}") };
    for (name, template) in TEMPLATES {
        environment.add_template(name, template).map_err(failed)?;
    }
    let page = environment.get_template(template);
    page.and_then(|page| page.render(minijinja::value::Serde(context))).map_err(failed)
}
