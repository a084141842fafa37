//! A mapped netlist as Yosys writes it (`write_json`): its cells by type, and its longest path in logic levels.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;

use serde::Deserialize;

use crate::SynthError;

/// A flat netlist.
#[derive(Clone, Debug)]
pub struct Netlist {
    module: Module,
}

/// The longest path between registers, memories and ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LongestPath {
    /// Cells on it: LUTs, carries, multiplexers, inverters.
    pub levels: u32,
    /// Named nets along it, from its start to its end.
    pub nets: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct File {
    modules: BTreeMap<String, Module>,
}

#[derive(Clone, Debug, Deserialize)]
struct Module {
    #[serde(default)]
    ports: BTreeMap<String, Port>,
    #[serde(default)]
    cells: BTreeMap<String, Cell>,
    #[serde(default)]
    netnames: BTreeMap<String, Net>,
}

/// A port of the top.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Port {
    /// `input`, `output` or `inout`.
    pub(crate) direction: String,
    pub(crate) bits: Vec<Bit>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Cell {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Text, or a number as the text of its bits.
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub(crate) port_directions: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Net {
    #[serde(default)]
    hide_name: u8,
    bits: Vec<Bit>,
}

/// A bit of a net: its number, or a constant (`"0"`, `"1"`, `"x"`).
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Bit {
    Net(u64),
    Constant(#[allow(dead_code)] String),
}

impl Netlist {
    /// Reads the module `top` of the file at `path`, which must be flat.
    pub fn read(path: &Path, top: &str) -> Result<Netlist, SynthError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| SynthError::Read { path: path.to_path_buf(), source })?;
        let bad = |message: String| SynthError::Format { path: path.to_path_buf(), message };
        let mut file: File = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let module = file.modules.remove(top).ok_or_else(|| bad(format!("no module `{top}`")))?;
        Ok(Netlist { module })
    }

    /// All cells but Yosys's own notes, by name.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, &Cell)> {
        let parts = self.module.cells.iter().filter(|(_, cell)| !cell.kind.starts_with('$'));
        parts.map(|(name, cell)| (name.as_str(), cell))
    }

    /// The ports of the top.
    pub(crate) fn ports(&self) -> &BTreeMap<String, Port> {
        &self.module.ports
    }

    /// Number of cells of each type, Yosys's own notes left out.
    pub fn cells(&self) -> BTreeMap<String, u32> {
        let mut count = BTreeMap::new();
        for (_, cell) in self.parts() {
            *count.entry(cell.kind.clone()).or_default() += 1;
        }
        count
    }

    /// Number of cells whose type begins with `prefix`.
    pub fn count(&self, prefix: &str) -> u32 {
        self.cells().iter().filter(|(kind, _)| kind.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    /// The longest path through UltraScale+ cells that hold no state. None where they form a loop.
    ///
    /// Distributed RAM and shift registers count from their read address to their output only: what is written appears
    /// after a clock edge.
    pub fn longest_path(&self) -> Option<LongestPath> {
        let cells: Vec<&Cell> = self.module.cells.values().filter(|cell| is_logic(&cell.kind)).collect();
        let mut driver = HashMap::new();
        for (index, cell) in cells.iter().enumerate() {
            for bit in cell.bits("output", |_| true) {
                driver.insert(bit, index);
            }
        }
        let mut readers = vec![Vec::new(); cells.len()];
        let mut waiting = vec![0usize; cells.len()];
        for (index, cell) in cells.iter().enumerate() {
            for bit in cell.bits("input", |port| passes(&cell.kind, port)) {
                if let Some(&from) = driver.get(&bit) {
                    readers[from].push((index, bit));
                    waiting[index] += 1;
                }
            }
        }
        // Kahn's order; each cell remembers the level of its output and the bit that it was reached by.
        let mut ready: VecDeque<usize> = (0..cells.len()).filter(|&index| waiting[index] == 0).collect();
        let mut level = vec![1u32; cells.len()];
        let mut reached_by: Vec<Option<(usize, u64)>> = vec![None; cells.len()];
        let mut done = 0;
        while let Some(index) = ready.pop_front() {
            done += 1;
            for &(reader, bit) in &readers[index] {
                if level[index] + 1 > level[reader] {
                    level[reader] = level[index] + 1;
                    reached_by[reader] = Some((index, bit));
                }
                waiting[reader] -= 1;
                if waiting[reader] == 0 {
                    ready.push_back(reader);
                }
            }
        }
        if done < cells.len() {
            return None;
        }
        let Some(last) = (0..cells.len()).max_by_key(|&index| (level[index], std::cmp::Reverse(index)))
        else {
            return Some(LongestPath::default());
        };
        let names = self.names();
        let mut nets: Vec<String> = self.end_of(cells[last], &names).into_iter().collect();
        let mut at = last;
        while let Some((from, bit)) = reached_by[at] {
            nets.extend(names.get(&bit).cloned());
            at = from;
        }
        nets.extend(
            cells[at]
                .bits("input", |port| passes(&cells[at].kind, port))
                .find_map(|bit| names.get(&bit).cloned()),
        );
        nets.reverse();
        nets.dedup();
        Some(LongestPath { levels: level[last], nets })
    }

    /// Name of what a path that ends with `cell` goes into: a port, or the register or memory behind it.
    fn end_of(&self, cell: &Cell, names: &HashMap<u64, String>) -> Option<String> {
        let bits: Vec<u64> = cell.bits("output", |_| true).collect();
        let behind = || {
            self.module
                .cells
                .iter()
                .filter(|(_, sink)| sink.bits("input", |_| true).any(|bit| bits.contains(&bit)))
                .find_map(|(name, sink)| {
                    let output = sink.bits("output", |_| true).find_map(|bit| names.get(&bit).cloned());
                    output.or_else(|| Some(name.clone()).filter(|name| !name.starts_with('$')))
                })
        };
        bits.iter().find_map(|bit| names.get(bit).cloned()).or_else(behind)
    }

    /// Names that a person gave, by bit; the shortest where a bit has several.
    pub(crate) fn names(&self) -> HashMap<u64, String> {
        let mut names: HashMap<u64, String> = HashMap::new();
        for (name, net) in self.module.netnames.iter().filter(|(_, net)| net.hide_name == 0) {
            for (index, bit) in net.bits.iter().enumerate() {
                let Bit::Net(bit) = bit else { continue };
                let full = if net.bits.len() == 1 { name.clone() } else { format!("{name}[{index}]") };
                let known = names.entry(*bit).or_insert_with(|| full.clone());
                if full.len() < known.len() {
                    *known = full;
                }
            }
        }
        names
    }
}

impl Cell {
    fn bits<'a>(
        &'a self,
        direction: &'a str,
        port: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = u64> + 'a {
        self.connections
            .iter()
            .filter(move |(name, _)| {
                self.port_directions.get(*name).is_some_and(|given| given == direction) && port(name)
            })
            .flat_map(|(_, bits)| bits)
            .filter_map(|bit| match bit {
                Bit::Net(number) => Some(*number),
                Bit::Constant(_) => None,
            })
    }
}

/// Whether a path goes through a cell of this type at all.
fn is_logic(kind: &str) -> bool {
    !["$", "FD", "LD", "RAMB", "URAM"].iter().any(|state| kind.starts_with(state))
}

/// Whether a path goes through a cell of this type from this input.
fn passes(kind: &str, port: &str) -> bool {
    let holds_bits = kind.starts_with("SRL") || kind.starts_with("RAM");
    !holds_bits || port.starts_with('A') || port.starts_with("DPRA")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn netlist(cells: &str) -> Netlist {
        let text = format!(
            r#"{{"modules":{{"x":{{"cells":{{{cells}}},"netnames":{{
                "a":{{"hide_name":0,"bits":[2]}},"sum":{{"hide_name":0,"bits":[9,4]}},
                "$1":{{"hide_name":1,"bits":[3]}}}}}}}}}}"#
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Netlist::read(file.path(), "x").unwrap()
    }

    fn cell(name: &str, kind: &str, input: (&str, &str), output: (&str, u64)) -> String {
        format!(
            r#""{name}":{{"type":"{kind}","port_directions":{{"{0}":"input","{2}":"output"}},
                "connections":{{"{0}":[{1}],"{2}":[{3}]}}}}"#,
            input.0, input.1, output.0, output.1
        )
    }

    #[test]
    fn levels_are_counted_between_registers_and_the_path_has_names() {
        let cells = [
            cell("one", "LUT3", ("I0", "2, \"0\""), ("O", 3)),
            cell("two", "CARRY4", ("S", "3"), ("O", 4)),
            cell("register", "FDRE", ("D", "4"), ("Q", 5)),
            cell("three", "INV", ("I", "5"), ("O", 6)),
        ];
        let netlist = netlist(&cells.join(","));
        let path = netlist.longest_path().unwrap();
        assert_eq!(path, LongestPath { levels: 2, nets: vec!["a".into(), "sum[1]".into()] });
        assert_eq!(netlist.cells()["LUT3"], 1);
    }

    #[test]
    fn a_shift_register_passes_its_address_but_not_its_data() {
        let lut = cell("one", "LUT1", ("I0", "2"), ("O", 3));
        let through = |port| [lut.clone(), cell("two", "SRL16E", (port, "3"), ("Q", 4))].join(",");
        assert_eq!(netlist(&through("D")).longest_path().unwrap().levels, 1);
        assert_eq!(netlist(&through("A0")).longest_path().unwrap().levels, 2);
    }

    #[test]
    fn a_loop_of_logic_has_no_longest_path() {
        let cells = [cell("one", "LUT1", ("I0", "4"), ("O", 3)), cell("two", "LUT1", ("I0", "3"), ("O", 4))];
        assert_eq!(netlist(&cells.join(",")).longest_path(), None);
    }
}
