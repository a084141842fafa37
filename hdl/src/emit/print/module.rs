//! The lines between a module's port list and its `endmodule`.

use super::expressions::{literal, print, range};
use super::grouped;
use super::statements;
use super::text::{Lines, Text};
use crate::emit::module::{Body, Item, Logic, Role};

/// All after the port list, up to `endmodule`.
pub fn lines(body: &Body) -> Vec<String> {
    match body {
        Body::Custom(lines) => {
            let indented =
                |line: &String| if line.is_empty() { String::new() } else { format!("    {line}") };
            lines.iter().map(indented).collect()
        }
        Body::Logic(logic) => {
            let sections = sections(logic).into_iter().map(|section| section.0);
            let sections: Vec<_> = sections.filter(|section| !section.is_empty()).collect();
            sections.join(&String::new())
        }
    }
}

/// The parts of a module between which a blank line stands; some may be empty.
fn sections(logic: &Logic) -> Vec<Lines> {
    let mut sections = vec![constants(logic), declarations(logic)];
    let mut plain = Lines::default();
    for item in &logic.items {
        match item {
            Item::Assign { comments, net, value } => {
                if !comments.is_empty() {
                    sections.push(std::mem::take(&mut plain));
                    comments.iter().for_each(|comment| plain.add_comment(1, comment));
                }
                let own = &logic.nets[*net];
                let mut text = match own.role {
                    Role::Output => Text::of(&format!("assign {} = ", own.name)),
                    _ => Text::of(&format!("wire {}{} = ", range(own.width), own.name)),
                };
                print(value, &logic.nets, &mut text);
                text.push(";");
                plain.add_text(1, &text);
            }
            Item::Always { nets, body } => {
                sections.push(std::mem::take(&mut plain));
                let mut section = Lines::default();
                let own = nets.iter().map(|net| &logic.nets[*net]).filter(|net| net.role != Role::Output);
                grouped::declarations("reg", own, 1, &mut section);
                section.add(1, "always @* begin");
                statements::print(body, &logic.nets, "=", 2, &mut section);
                section.add(1, "end");
                sections.push(section);
            }
        }
    }
    sections.push(plain);
    sections.extend(logic.instances.iter().map(|one| grouped::instance(one, &logic.nets)));
    for (clock, body) in &logic.clocked {
        let mut section = Lines::default();
        section.add(1, &format!("always @(posedge {}) begin", logic.nets[*clock].name));
        statements::print(body, &logic.nets, "<=", 2, &mut section);
        section.add(1, "end");
        sections.push(section);
    }
    sections.push(unread(logic));
    sections
}

fn constants(logic: &Logic) -> Lines {
    let mut lines = Lines::default();
    for constant in &logic.constants {
        let (range, value) = (range(constant.width), literal(&constant.value, constant.width));
        lines.add(1, &format!("localparam {range}{} = {value};", constant.name));
    }
    lines
}

fn declarations(logic: &Logic) -> Lines {
    let mut lines = Lines::default();
    for (word, nets) in [("reg", &logic.registers), ("wire", &logic.wires)] {
        grouped::declarations(word, nets.iter().map(|net| &logic.nets[*net]), 1, &mut lines);
    }
    lines
}

fn unread(logic: &Logic) -> Lines {
    let mut lines = Lines::default();
    if let Some((name, bits)) = &logic.unread {
        let mut text = Text::of(&format!("wire {name} = &"));
        text.enclosed("{", "}", |text| {
            text.push("1'b0,");
            text.space();
            text.list(bits, |bits, text| print(bits, &logic.nets, text));
        });
        text.push(";");
        lines.add_text(1, &text);
    }
    lines
}
