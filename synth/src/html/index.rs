//! A page over all pages of a folder: what each is, its figures, and the files that belong to it.

use std::path::Path;

use serde::Serialize;

use super::waves::href;
use crate::SynthError;
use crate::sheet::{render, style};

/// The name of the page.
pub const INDEX: &str = "index.html";

/// One page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    pub file: String,
    pub title: String,
    /// Its first sentence; may be empty.
    pub says: String,
    pub figures: Vec<Figure>,
    /// Other files of its name.
    pub beside: Vec<File>,
    href: String,
}

/// A figure at the head of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// `good`, `bad` or `plain`.
    pub kind: String,
    pub says: String,
}

/// A file with what leads to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File {
    pub file: String,
    href: String,
}

#[derive(Serialize)]
struct Context<'a> {
    title: &'static str,
    made: &'a str,
    text: Vec<String>,
    tiles: [(); 0],
    style: String,
    pages: &'a [Entry],
}

/// The pages of respray in a folder, in the order of their names, without the index itself.
///
/// # Errors
/// [`SynthError::Read`], where the folder or a page cannot be read.
pub fn entries(folder: &Path) -> Result<Vec<Entry>, SynthError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| SynthError::Read { path, source }
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        if entry.path().is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    let mut entries = Vec::new();
    for name in names.iter().filter(|name| name.ends_with(".html") && *name != INDEX) {
        let path = folder.join(name);
        let html = std::fs::read(&path).map_err(failed(&path))?;
        entries.extend(entry(name, &String::from_utf8_lossy(&html), &names));
    }
    Ok(entries)
}

/// What a page says of itself; none of a page that respray did not make.
fn entry(name: &str, html: &str, names: &[String]) -> Option<Entry> {
    let head = html.split("<style>").next().unwrap_or_default();
    head.contains("<meta name=\"generator\" content=\"respray\">").then_some(())?;
    let title = head.split("<title>").nth(1)?.split("</title>").next()?;
    let metas = head.split("<meta name=\"").skip(1).filter_map(|meta| {
        let (name, rest) = meta.split_once("\" content=\"")?;
        Some((name, plain(rest.split('"').next()?)))
    });
    let metas: Vec<(&str, String)> = metas.collect();
    let figure = |(name, says): &(&str, String)| {
        Some(Figure { kind: name.strip_prefix("respray:")?.to_string(), says: says.clone() })
    };
    let stem = name.strip_suffix("html")?;
    let is_beside = |other: &&String| other.starts_with(stem) && *other != name;
    Some(Entry {
        file: name.into(),
        // what stands at the head of each page needs not stand in each line
        title: plain(title.strip_prefix("respray: ").unwrap_or(title)),
        says: metas
            .iter()
            .find(|(name, _)| *name == "description")
            .map(|(_, says)| says.clone())
            .unwrap_or_default(),
        figures: metas.iter().filter_map(figure).collect(),
        beside: names
            .iter()
            .filter(is_beside)
            .map(|file| File { file: file.clone(), href: href(file) })
            .collect(),
        href: href(name),
    })
}

/// The text that HTML stands for, where only what a template escapes is escaped.
fn plain(html: &str) -> String {
    let letters =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
    letters.iter().fold(html.to_string(), |text, (escaped, letter)| text.replace(escaped, letter))
}

/// The page over them.
///
/// # Errors
/// [`SynthError::Page`], where a template is broken.
pub fn html(entries: &[Entry], made: &str) -> Result<String, SynthError> {
    let text = vec![match entries.len() {
        1 => "1 page.".to_string(),
        count => format!("{count} pages."),
    }];
    let context =
        Context { title: "respray: all pages", made, text, tiles: [], style: style(), pages: entries };
    render("index", &context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::{Sheet, Tile};

    #[test]
    fn each_page_is_listed_with_its_figures_and_the_files_of_its_name_and_other_pages_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let tile = |value: &str, is_good| Tile {
            value: value.into(),
            name: "claims <met>".into(),
            is_good,
            ..Tile::default()
        };
        let sheet = Sheet {
            title: "figure 3, a link's \"half\" & more".into(),
            text: vec!["OPS takes 1400 us.".into(), "More.".into()],
            tiles: vec![tile("11 of 11", Some(true)), tile("0", Some(false)), tile("7", None)],
            ..Sheet::default()
        };
        for (name, text) in [
            ("figure 3.html", sheet.html().unwrap()),
            ("figure 3.json", String::new()),
            ("figure 30.json", String::new()),
            ("index.html", sheet.html().unwrap()),
            ("foreign.html", "<title>x</title>".into()),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("folder.html")).unwrap();
        let entries = entries(folder.path()).unwrap();
        assert_eq!(entries.len(), 1, "{entries:?}");
        let Entry { title, says, figures, beside, .. } = &entries[0];
        assert_eq!(
            (title.as_str(), says.as_str()),
            ("figure 3, a link's \"half\" & more", "OPS takes 1400 us.")
        );
        let figures: Vec<(&str, &str)> =
            figures.iter().map(|figure| (figure.kind.as_str(), figure.says.as_str())).collect();
        assert_eq!(
            figures,
            [("good", "11 of 11: claims <met>"), ("bad", "0: claims <met>"), ("plain", "7: claims <met>")]
        );
        assert_eq!(beside.iter().map(|file| file.file.as_str()).collect::<Vec<_>>(), ["figure 3.json"]);
        let html = html(&entries, "respray 0").unwrap();
        assert!(html.contains("<a href=\"./figure%203.html\">") && html.contains("1 page."), "{html}");
        let missing = super::entries(&folder.path().join("none")).unwrap_err().to_string();
        assert!(missing.contains("none: cannot be read"), "{missing}");
    }
}
