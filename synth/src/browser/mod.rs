//! Pages in a real browser: what of their text cannot be read, and pictures of them.
//!
//! The browser is a Chromium without a window. It is not needed to make pages; tests look at pages with it.

mod png;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use crate::plot::escape;

/// Names of the program on the PATH.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Widths of pages in CSS pixels: a desk and a phone.
pub const WIDTHS: [u32; 2] = [1400, 390];

/// The narrowest window in CSS pixels. A narrower page stands in a frame.
const NARROWEST: u32 = 500;

/// What of a window's height the browser may keep for itself, in CSS pixels, so that no page is seen there.
const FRAME: u32 = 200;

/// What finds the faults of a page.
const LOOK: &str = include_str!("look.js");

/// A Chromium.
#[derive(Clone, Debug)]
pub struct Browser {
    program: PathBuf,
}

/// What was found of one page at one width.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Look {
    /// The name that the page was given.
    pub page: String,
    pub width: u32,
    /// A sentence each.
    pub faults: Vec<String>,
}

/// What a picture shows of a page.
#[derive(Clone, Copy, Debug)]
pub struct Shot<'a> {
    /// Width and height in CSS pixels.
    pub size: (u32, u32),
    pub is_dark: bool,
    /// Where the picture begins: the place that has this `id`; none: at the top.
    pub from: Option<&'a str>,
}

impl Browser {
    /// The one on the PATH.
    pub fn find() -> Option<Browser> {
        let path = std::env::var_os("PATH")?;
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let programs = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        programs.into_iter().find(|program| program.is_file()).map(|program| Browser { program })
    }

    /// Looks at each page, a name and its HTML, at each of [`WIDTHS`], with everything open that a reader can open.
    ///
    /// # Errors
    /// A sentence, where the browser does not run or does not say what it found.
    pub fn look(&self, pages: &[(&str, &str)]) -> Result<Vec<Look>, String> {
        let mut all = format!("<!DOCTYPE html><body><script>{LOOK}</script>");
        for (name, html) in pages {
            for width in WIDTHS {
                all += &frame(name, html, width, 1000);
            }
        }
        // as narrow as a phone is no window, so the pages stand in frames
        let said = self.run(&all, &["--dump-dom".into(), "--window-size=1500,1000".into()])?;
        let dom = String::from_utf8_lossy(&said.stdout).into_owned();
        let found =
            dom.split("<body>").nth(1).and_then(|body| body.split("</body>").next()).unwrap_or_default();
        let json =
            found.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
        serde_json::from_str(&json).map_err(|error| format!("{}: {error} in: {dom}", self.program.display()))
    }

    /// A picture of a page, as a PNG.
    ///
    /// # Errors
    /// A sentence, where the browser does not run or makes none.
    pub fn picture(&self, html: &str, shot: Shot) -> Result<Vec<u8>, String> {
        let (width, height) = shot.size;
        if let Some(id) = shot.from.filter(|id| !html.contains(&format!("id=\"{id}\""))) {
            return Err(format!("the page has no place with the id {id}"));
        }
        let scroll = shot.from.map(|id| {
            format!(
                "<script>addEventListener('load', () => document.querySelector('iframe').contentDocument\
                 .getElementById('{}').scrollIntoView())</script>",
                escape(id)
            )
        });
        let page = format!(
            "<!DOCTYPE html><body style=\"margin:0\">{}{}",
            frame("page", html, width, height),
            scroll.unwrap_or_default()
        );
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let file = folder.path().join("picture.png");
        let mut options = vec![
            format!("--screenshot={}", file.display()),
            format!("--window-size={},{}", width.max(NARROWEST), height + FRAME),
            "--hide-scrollbars".to_string(),
        ];
        if shot.is_dark {
            options
                .extend(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"].map(String::from));
        }
        self.run(&page, &options)?;
        let picture = std::fs::read(&file)
            .map_err(|error| format!("{}: no picture: {error}", self.program.display()))?;
        png::cut(&picture, height).ok_or_else(|| format!("{}: made no PNG", self.program.display()))
    }

    /// Opens a page and waits until it is drawn.
    fn run(&self, html: &str, options: &[String]) -> Result<Output, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let folder = tempfile::tempdir().map_err(failed)?;
        let page = folder.path().join("page.html");
        std::fs::write(&page, html).map_err(failed)?;
        let output = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .args(options)
            .arg(url(&page))
            .stdin(Stdio::null())
            .output()
            .map_err(failed)?;
        match output.status.success() {
            true => Ok(output),
            false => Err(format!(
                "{}: {}; it said: {}",
                self.program.display(),
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }
}

/// A page in a frame of a width.
fn frame(name: &str, html: &str, width: u32, height: u32) -> String {
    let mut frame = String::new();
    let _ = write!(
        frame,
        "<iframe title=\"{}\" style=\"border:0;display:block;width:{width}px;height:{height}px\" srcdoc=\"{}\"></iframe>",
        escape(name),
        escape(html)
    );
    frame
}

fn url(path: &Path) -> String {
    format!("file://{}", path.display())
}
