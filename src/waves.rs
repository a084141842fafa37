//! Files of waves that stand beside a page.

use std::path::Path;

use respray_files::output::is_standard_output;
use respray_synth::html::Wave;

/// Folders below that of the page that are looked through.
const DEPTH: usize = 3;

/// Every FST file in the folder of `page` and below it, in the order of their paths. A folder that cannot be read has none.
pub fn beside(page: &Path) -> Vec<Wave> {
    if is_standard_output(page) {
        return Vec::new();
    }
    let folder = page.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut waves = Vec::new();
    collect(folder, "", DEPTH, &mut waves);
    waves.sort_by(|a, b| a.path.cmp(&b.path));
    waves
}

fn collect(folder: &Path, before: &str, depth: usize, waves: &mut Vec<Wave>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let below = format!("{before}{name}");
        if kind.is_dir() && depth > 0 {
            collect(&path, &(below + "/"), depth - 1, waves);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "fst") {
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            waves.push(Wave { path: below, bytes });
        }
    }
}
