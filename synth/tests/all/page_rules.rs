//! Rules that the HTML page keeps, so that it can be read on a phone, without colours and by a screen reader.

/// Widest screen in CSS pixels on which nothing may force a wider page.
const NARROW: f64 = 390.0;

/// What breaks a rule, a sentence each.
pub fn broken(html: &str) -> Vec<String> {
    [links(html), bars(html), tables(html), drawings(html), arrows(html), widths(html)].concat()
}

/// The values of one attribute, in order.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    html.split(&*start).skip(1).filter_map(|behind| behind.split('"').next()).collect()
}

/// Every link within the page leads to one place, and every part of the table of contents is linked.
fn links(html: &str) -> Vec<String> {
    let ids = values(html, "id");
    let targets = values(html, "href").into_iter().filter_map(|href| href.strip_prefix('#'));
    let count = |anchor: &str| ids.iter().filter(|id| **id == anchor).count();
    let doubled = ids.iter().filter(|id| count(id) > 1).map(|id| format!("{} places are #{id}", count(id)));
    let lost = targets.filter(|anchor| count(anchor) == 0).map(|anchor| format!("#{anchor} leads nowhere"));
    doubled.chain(lost).collect()
}

/// Every bar that is drawn can be seen.
fn bars(html: &str) -> Vec<String> {
    let fills = html.split("class=\"fill\" style=\"width:").skip(1);
    let width =
        |fill: &str| fill.split('%').next().and_then(|width| width.parse::<f64>().ok()).unwrap_or(0.0);
    fills
        .map(width)
        .filter(|width| !(1.0..=100.0).contains(width))
        .map(|w| format!("a bar of {w}%"))
        .collect()
}

/// Tables scroll in boxes of their own, and say of what each head is.
fn tables(html: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for (before, _) in html.match_indices("<table").map(|(at, _)| html.split_at(at)) {
        let opened = before.rsplit('<').next().unwrap_or_default();
        if !opened.contains("scroll\">") {
            broken.push(format!("a table stands in <{opened}"));
        }
    }
    let heads = html.split("<th").skip(1).filter(|head| !head.starts_with("ead"));
    let without = heads.filter(|head| !head.starts_with(" scope=\""));
    broken
        .extend(without.map(|head| format!("a head without its scope: <th{}", &head[..head.len().min(20)])));
    broken
}

/// Drawings take the width that there is, and say what they show.
fn drawings(html: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for svg in html.split("<svg").skip(1) {
        let (head, body) = svg.split_once('>').unwrap_or((svg, ""));
        for needed in [" viewBox=\"", " role=\"img\""] {
            if !head.contains(needed) {
                broken.push(format!("a drawing without{needed}: {head}"));
            }
        }
        if head.contains(" width=") {
            broken.push(format!("a drawing of fixed width: {head}"));
        }
        let says = body.trim_start();
        if !says.starts_with("<title>") || says.contains("<desc></desc>") || !says.contains("</title><desc>")
        {
            broken.push(format!("a drawing without title and description: {head}"));
        }
    }
    broken
}

/// Corners of a path of upright and level strokes, e.g. `M117 32H137V60`.
fn corners(path: &str) -> Vec<[f64; 2]> {
    let number = |text: &str| text.trim().parse::<f64>().expect("a number");
    let mut corners: Vec<[f64; 2]> = Vec::new();
    let starts: Vec<usize> = path.match_indices(['M', 'H', 'V']).map(|(at, _)| at).collect();
    for (place, at) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(path.len());
        let (kind, rest) = path[*at..end].split_at(1);
        let [x, y] = corners.last().copied().unwrap_or_default();
        corners.push(match kind {
            "M" => {
                let (x, y) = rest.split_once(' ').expect("two numbers");
                [number(x), number(y)]
            }
            "H" => [number(rest), y],
            _ => [x, number(rest)],
        });
    }
    corners
}

/// No arrow of the picture of the path crosses another one or a box.
fn arrows(html: &str) -> Vec<String> {
    let Some(picture) = html.split("<svg class=\"path\"").nth(1).and_then(|svg| svg.split("</svg>").next())
    else {
        return Vec::new();
    };
    let drawn = picture.split("class=\"arrow\">").nth(1).unwrap_or_default();
    let arrows: Vec<&str> = values(drawn, "d");
    // what a stroke, or a box, covers: left, right, top, bottom
    let strokes = |arrow: &str| -> Vec<[f64; 4]> {
        let corners = corners(arrow);
        let stroke = |pair: &[[f64; 2]]| {
            let ([a, b], [c, d]) = (pair[0], pair[1]);
            [a.min(c), a.max(c), b.min(d), b.max(d)]
        };
        corners.windows(2).map(stroke).collect()
    };
    let meet = |a: &[f64; 4], b: &[f64; 4]| a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
    let wide = |[left, right, top, bottom]: [f64; 4]| [left - 1.0, right + 1.0, top - 1.0, bottom + 1.0];
    let boxes = picture.split("<rect ").skip(1).map(|of| {
        let number = |name: &str| values(&format!(" {of}"), name)[0].parse::<f64>().expect("a number");
        let (x, y) = (number("x"), number("y"));
        [x + 2.0, x + number("width") - 2.0, y + 2.0, y + number("height") - 2.0]
    });
    let boxes: Vec<[f64; 4]> = boxes.collect();
    let mut broken = Vec::new();
    for (place, arrow) in arrows.iter().enumerate() {
        let others = arrows[place + 1..].iter().flat_map(|other| strokes(other)).map(wide);
        let others: Vec<[f64; 4]> = others.chain(boxes.iter().copied()).collect();
        if strokes(arrow).into_iter().map(wide).any(|stroke| others.iter().any(|other| meet(&stroke, other)))
        {
            broken.push(format!("an arrow crosses another one or a box: {arrow}"));
        }
    }
    broken
}

/// No rule of the style sheets asks for more than a narrow screen has: neither a width, nor a column that does not
/// shrink.
fn widths(html: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let sheets = html.split("<style>").skip(1).filter_map(|sheet| sheet.split("</style>").next());
    let inline = values(html, "style");
    for declaration in sheets.chain(inline).flat_map(|css| css.split([';', '{', '}'])) {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let property = property.trim();
        let is_width = ["width", "min-width", "grid-template-columns", "flex-basis"].contains(&property);
        // min(320px, 100%) shrinks with the page
        let fixed = value.replace(", 100%", "");
        let shrinks = value != fixed;
        if is_width && !shrinks && pixels(value) > NARROW - 60.0 {
            broken.push(format!("{property}:{value} is wider than a screen of {NARROW} pixels"));
        }
    }
    broken
}

/// All pixels of a declaration together.
fn pixels(value: &str) -> f64 {
    let words = value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter_map(|word| word.strip_suffix("px")?.parse::<f64>().ok()).sum()
}
