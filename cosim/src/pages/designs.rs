//! The designs that the documents are about. Several tables and pages are about the same ones, so each is generated once.

use std::sync::{Arc, Mutex};

use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::cores::GenerateError;
use respray_hdl::manifest::Generated;

struct Design {
    name: String,
    config: Config,
    generated: Arc<Generated>,
}

static KNOWN: Mutex<Vec<Design>> = Mutex::new(Vec::new());

/// A design as [`catalogue::generate`] gives it, kept until the program ends.
///
/// # Errors
/// As [`catalogue::generate`] has them.
pub fn design(name: &str, config: &Config) -> Result<Arc<Generated>, GenerateError> {
    let mut known = KNOWN.lock().expect("whoever held it ended");
    if let Some(design) = known.iter().find(|design| design.name == name && design.config == *config) {
        return Ok(design.generated.clone());
    }
    let generated = Arc::new(catalogue::generate(name, config)?);
    known.push(Design { name: name.to_string(), config: config.clone(), generated: generated.clone() });
    Ok(generated)
}
