//! A page of tables, bars and charts that needs nothing else: no network, no script, light and dark by the reader's setting.

use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::SynthError;
use crate::html::{STYLE, TableView};
use crate::plot::{self, Chart};
use crate::report::Table;

const TEMPLATE: &str = include_str!("html/sheet.html");

/// The page.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub title: String,
    /// What it was made of, and when.
    pub origin: String,
    /// Sentences below the title.
    pub text: Vec<String>,
    pub parts: Vec<Part>,
}

/// One part of it. What is empty is not shown.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub heading: String,
    /// Sentences.
    pub text: Vec<String>,
    pub table: Option<Table>,
    pub bars: Vec<Bar>,
    pub charts: Vec<Chart>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    /// The least and the greatest of what it is the mean of.
    pub spread: Option<[f64; 2]>,
    /// Its value in words.
    pub shown: String,
}

#[derive(Serialize)]
struct Context<'a> {
    title: &'a str,
    origin: &'a str,
    text: &'a [String],
    parts: Vec<PartView<'a>>,
    style: String,
}

#[derive(Serialize)]
struct PartView<'a> {
    heading: &'a str,
    text: &'a [String],
    table: Option<TableView>,
    bars: Vec<BarView<'a>>,
    charts: Vec<String>,
}

#[derive(Serialize)]
struct BarView<'a> {
    name: &'a str,
    shown: &'a str,
    /// In % of the longest.
    length: f64,
    /// Where the spread begins and how wide it is, in the same.
    spread: Option<[f64; 2]>,
}

impl Sheet {
    /// The page.
    ///
    /// # Errors
    /// [`SynthError::Page`], where the template is broken.
    pub fn html(&self) -> Result<String, SynthError> {
        let context = Context {
            title: &self.title,
            origin: &self.origin,
            text: &self.text,
            parts: self.parts.iter().map(Part::view).collect(),
            style: format!("{STYLE}{}", plot::STYLE),
        };
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let failed = |error: minijinja::Error| SynthError::Page { message: format!("{error:#}") };
        environment.add_template("sheet", TEMPLATE).map_err(failed)?;
        let page = environment.get_template("sheet");
        page.and_then(|page| page.render(minijinja::value::Serde(context))).map_err(failed)
    }
}

impl Part {
    fn view(&self) -> PartView<'_> {
        let greatest = |bar: &Bar| bar.spread.map_or(bar.value, |[_, greatest]| greatest.max(bar.value));
        let most = self.bars.iter().map(greatest).fold(0.0, f64::max);
        let percent = |value: f64| if most > 0.0 { (1000.0 * value / most).round() / 10.0 } else { 0.0 };
        let bars = self.bars.iter().map(|bar| BarView {
            name: &bar.name,
            shown: &bar.shown,
            length: percent(bar.value),
            spread: bar.spread.map(|[least, greatest]| [percent(least), percent(greatest - least)]),
        });
        let bars = bars.collect();
        PartView {
            heading: &self.heading,
            text: &self.text,
            table: self.table.as_ref().map(TableView::of),
            bars,
            charts: self.charts.iter().map(|chart| chart.svg(false)).collect(),
        }
    }
}
