//! A page of figures, bars, charts and tables that needs nothing else: no network, no script, light and dark by the
//! reader's setting.

mod render;
mod table;

use serde::Serialize;

use crate::SynthError;
use crate::plot::{Chart, Colour};
use crate::report::Table;
pub(crate) use render::{render, style};
pub(crate) use table::TableView;

/// The page.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub title: String,
    /// What it was made of, and when.
    pub origin: String,
    /// Sentences below the title.
    pub text: Vec<String>,
    /// What one wants to know first.
    pub tiles: Vec<Tile>,
    pub parts: Vec<Part>,
}

/// One figure at the head of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tile {
    pub value: String,
    /// What it is of.
    pub name: String,
    /// More of it, one phrase; may be empty.
    pub detail: String,
    /// Whether it is as it should be, where something should be.
    pub is_good: Option<bool>,
}

/// One part of it. What is empty is not shown.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub heading: String,
    /// Sentences.
    pub text: Vec<String>,
    /// Bars, side by side.
    pub panels: Vec<Panel>,
    /// Charts, side by side.
    pub charts: Vec<Chart>,
    /// Charts below each other, each as wide as the page.
    pub is_large: bool,
    pub table: Option<Table>,
    /// The table is shown when the reader asks for it.
    pub is_folded: bool,
}

/// Bars of one quantity on one scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    pub heading: String,
    /// What the marks mean; may be empty.
    pub note: String,
    pub bars: Vec<Bar>,
    /// What the scale holds at least, so that panels of one quantity can share it.
    pub holds: f64,
}

/// One bar, in the colour of its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    /// The least and the greatest of what it is the mean of.
    pub spread: Option<[f64; 2]>,
    /// Its value in words.
    pub shown: String,
    /// A sentence below; may be empty.
    pub detail: String,
    /// What it is held against, e.g. the paper's own figure, with its least and its greatest.
    pub beside: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct Context<'a> {
    title: &'a str,
    made: &'a str,
    text: &'a [String],
    tiles: &'a [Tile],
    parts: Vec<PartView<'a>>,
    style: String,
}

#[derive(Serialize)]
struct PartView<'a> {
    heading: &'a str,
    text: &'a [String],
    panels: Vec<PanelView<'a>>,
    charts: Vec<String>,
    is_large: bool,
    table: Option<TableView>,
    is_folded: bool,
}

#[derive(Serialize)]
struct PanelView<'a> {
    heading: &'a str,
    note: &'a str,
    bars: Vec<BarView<'a>>,
}

/// Places are in % of the longest bar.
#[derive(Serialize)]
struct BarView<'a> {
    name: &'a str,
    /// Class of its colour.
    hue: String,
    shown: &'a str,
    detail: &'a str,
    /// None of a bar that nobody would see.
    length: Option<f64>,
    /// Where the spread begins and how wide it is.
    spread: Option<[f64; 2]>,
    beside: Option<f64>,
    beside_spread: Option<[f64; 2]>,
}

impl Sheet {
    /// The page.
    ///
    /// # Errors
    /// [`SynthError::Page`], where the template is broken.
    pub fn html(&self) -> Result<String, SynthError> {
        render(
            "sheet",
            &Context {
                title: &self.title,
                made: &self.origin,
                text: &self.text,
                tiles: &self.tiles,
                parts: self.parts.iter().map(Part::view).collect(),
                style: style(),
            },
        )
    }
}

impl Part {
    fn view(&self) -> PartView<'_> {
        PartView {
            heading: &self.heading,
            text: &self.text,
            panels: self.panels.iter().map(Panel::view).collect(),
            charts: self.charts.iter().map(Chart::html).collect(),
            is_large: self.is_large,
            table: self.table.as_ref().map(TableView::of),
            is_folded: self.is_folded,
        }
    }
}

impl Panel {
    /// What the scale has to hold.
    pub fn greatest(&self) -> f64 {
        let of_bar = |bar: &Bar| {
            // what is far above the others in what a bar is held against must not make all bars short
            let ends = [
                bar.value,
                bar.spread.map_or(0.0, |[_, greatest]| greatest),
                bar.beside.map_or(0.0, |[value, ..]| value),
            ];
            ends.into_iter().fold(0.0, f64::max)
        };
        self.bars.iter().map(of_bar).fold(self.holds, f64::max)
    }

    fn view(&self) -> PanelView<'_> {
        let most = self.greatest();
        let place = |value: f64| percent(value, most).min(100.0);
        let width = |least: f64, greatest: f64| (10.0 * (place(greatest) - place(least))).round() / 10.0;
        let range = |[least, greatest]: [f64; 2]| [place(least), width(least, greatest)];
        let bar = |bar: &'_ Bar| (place(bar.value), bar.spread.map(range));
        let bars = self.bars.iter().map(|of| {
            let (length, spread) = bar(of);
            BarView {
                name: &of.name,
                hue: Colour::of(&of.name).class(),
                shown: &of.shown,
                detail: &of.detail,
                length: Some(length).filter(|length| *length >= SHORTEST),
                spread,
                beside: of.beside.map(|[value, ..]| place(value)),
                beside_spread: of.beside.map(|[_, least, greatest]| range([least, greatest])),
            }
        });
        PanelView { heading: &self.heading, note: &self.note, bars: bars.collect() }
    }
}

/// `value` in % of `whole`, to a tenth.
pub(crate) fn percent(value: f64, whole: f64) -> f64 {
    if whole > 0.0 { (1000.0 * value / whole).round() / 10.0 } else { 0.0 }
}

/// A shorter bar, in % of its row, is not drawn.
const SHORTEST: f64 = 0.5;

/// Makes panels of one quantity share their scale.
pub fn share_scale(panels: &mut [Panel]) {
    let holds = panels.iter().map(Panel::greatest).fold(0.0, f64::max);
    panels.iter_mut().for_each(|panel| panel.holds = holds);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(values: &[f64]) -> Panel {
        let bar = |value: &f64| Bar {
            name: "reps:uet".into(),
            value: *value,
            shown: format!("{value}"),
            ..Bar::default()
        };
        Panel { bars: values.iter().map(bar).collect(), ..Panel::default() }
    }

    fn lengths(panel: &Panel) -> Vec<Option<f64>> {
        panel.view().bars.iter().map(|bar| bar.length).collect()
    }

    #[test]
    fn panels_of_one_quantity_share_a_scale_and_a_selector_has_its_colour() {
        let mut panels = [panel(&[10.0, 5.0]), panel(&[2.0, 0.0])];
        assert_eq!(lengths(&panels[1]), [Some(100.0), None]);
        share_scale(&mut panels);
        assert_eq!(lengths(&panels[0]), [Some(100.0), Some(50.0)]);
        assert_eq!(lengths(&panels[1]), [Some(20.0), None]);
        assert_eq!(panels[0].view().bars[0].hue, "of-reps");
    }

    #[test]
    fn what_a_bar_is_held_against_is_within_its_scale() {
        let beside = Bar { value: 5.0, beside: Some([8.0, 6.0, 15.0]), ..Bar::default() };
        let panel = Panel { bars: vec![beside], ..Panel::default() };
        let view = panel.view();
        assert_eq!((view.bars[0].length, view.bars[0].beside), (Some(62.5), Some(100.0)));
        assert_eq!(view.bars[0].beside_spread, Some([75.0, 25.0]), "it ends where the scale does");
    }

    #[test]
    fn a_page_says_its_figures_where_an_index_finds_them() {
        let tile = Tile {
            value: "11 of 11".into(),
            name: "claims <met>".into(),
            is_good: Some(true),
            ..Tile::default()
        };
        let sheet = Sheet {
            title: "A & B".into(),
            text: vec!["First.".into()],
            tiles: vec![tile],
            ..Sheet::default()
        };
        let html = sheet.html().unwrap();
        assert!(
            html.contains("<title>A &amp; B</title>")
                && html.contains("<meta name=\"description\" content=\"First.\">")
        );
        assert!(
            html.contains("<meta name=\"respray:good\" content=\"11 of 11: claims &lt;met&gt;\">"),
            "{html}"
        );
    }
}
