//! The wrappers beside the ports that their shells publish.

mod published;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use respray_hdl::config::Config;
use respray_hdl::shells::{self, ShellError, Wrapper};

use self::published::{Direction, Published, standing_in};

fn config(sets: &[&str]) -> Config {
    Config::load(None, &sets.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

/// The wrappers of a shell at the size of these tests, made once.
fn wrappers(shell: &str) -> Vec<Wrapper> {
    static MADE: OnceLock<BTreeMap<&str, Vec<Wrapper>>> = OnceLock::new();
    let make = |shell: &&'static str| {
        (*shell, shells::generate(shell, &config(&["connections=16", "sack.window=64"])).unwrap())
    };
    MADE.get_or_init(|| ["opennic", "corundum"].iter().map(make).collect())[shell].clone()
}

/// The folder of a wrapper with all its files, changed by `change`.
fn folder(wrapper: &Wrapper, change: impl Fn(&str, String) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in wrapper.sources.iter().chain(&wrapper.others) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, change(name, text.clone())).unwrap();
    }
    folder
}

/// What Verilator's `-Wall` says of files in a folder.
fn lint(folder: &Path, top: &str, arguments: &[&str]) -> String {
    let mut verilator = Command::new("verilator");
    verilator.args(["--lint-only", "-Wall", "--top-module", top]).args(arguments).current_dir(folder);
    let output = verilator.output().expect("verilator runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// What stands in for the lane: its ports, and nothing behind them.
fn hollow(verilog: &str, module: &str) -> String {
    let begin = verilog.find(&format!("module {module} (")).unwrap();
    let directives: String =
        verilog.lines().filter(|line| line.starts_with('`')).map(|line| format!("{line}\n")).collect();
    let header = &verilog[begin..begin + verilog[begin..].find("\n);").unwrap() + 3];
    let names = |direction: &str| -> Vec<String> {
        let is_port = |line: &&str| line.trim_start().starts_with(direction);
        let name = |line: &str| line.trim_end_matches(',').rsplit(' ').next().unwrap().to_string();
        header.lines().filter(is_port).map(name).collect()
    };
    let outputs: String = names("output").iter().map(|name| format!("    assign {name} = 0;\n")).collect();
    format!(
        "{directives}{header}\n{outputs}    wire unused = &{{1'b0, {}}};\nendmodule\n",
        names("input").join(", ")
    )
}

/// What Verilator says of a wrapper within what its shell publishes, with so many ports.
fn in_shell(
    wrapper: &Wrapper,
    published: &Published,
    ports: u32,
    change: impl Fn(&str, String) -> String,
) -> String {
    let lane = wrapper.sources[1].0.trim_end_matches(".v").to_string();
    let folder = folder(wrapper, |name, text| {
        let text = change(name, text);
        if name == wrapper.sources[1].0 { hollow(&text, &lane) } else { text }
    });
    let shell = standing_in(published, wrapper);
    fs::write(folder.path().join(format!("{}.v", shell.top)), &shell.verilog).unwrap();
    let includes: Vec<String> = shell.includes.iter().map(|folder| format!("-I{folder}")).collect();
    let sets: Vec<String> = shell.port_counts.iter().map(|name| format!("-G{name}={ports}")).collect();
    let own = format!("{}.v", shell.top);
    let files = [&wrapper.sources[1].0, &wrapper.sources[2].0, &own];
    let arguments: Vec<&str> = includes
        .iter()
        .chain(&sets)
        .map(String::as_str)
        .chain(files.iter().map(|name| name.as_str()))
        .collect();
    lint(folder.path(), &shell.top, &arguments)
}

fn opennic(at: usize) -> (Wrapper, Published) {
    let table = [include_str!("published/box_250mhz.txt"), include_str!("published/box_322mhz.txt")][at];
    (wrappers("opennic").swap_remove(at), Published::read(["box_250mhz", "box_322mhz"][at], table))
}

fn corundum() -> (Wrapper, Published) {
    let table = include_str!("published/mqnic_app_block.txt");
    (wrappers("corundum").remove(0), Published::read("mqnic_app_block", table))
}

#[test]
fn the_wrappers_fit_the_ports_that_opennic_publishes() {
    for at in [0, 1] {
        let (wrapper, published) = opennic(at);
        for ports in [1, 2] {
            let said = in_shell(&wrapper, &published, ports, |_, text| text);
            assert!(said.is_empty(), "{}, {ports} ports: {said}", wrapper.top);
        }
    }
}

#[test]
fn the_wrapper_fits_the_ports_that_corundum_publishes() {
    let (wrapper, published) = corundum();
    for ports in [1, 2] {
        let said = in_shell(&wrapper, &published, ports, |_, text| text);
        assert!(said.is_empty(), "{ports} ports: {said}");
    }
}

/// Each port that a shell publishes, with another name and with another width, is found.
#[test]
fn a_port_with_another_name_or_width_is_found() {
    let (wrapper, published) = opennic(0);
    let module = &wrapper.sources[2].0;
    for (from, to) in [
        ("s_axis_qdma_h2c_tuser_size", "s_axis_qdma_h2c_tuser_length"),
        ("wire [64*NUM_INTF-1:0]  m_axis_qdma_c2h_tkeep", "wire [63*NUM_INTF-1:0]  m_axis_qdma_c2h_tkeep"),
        ("output wire                    mod_rst_done", "output wire [1:0]              mod_rst_done"),
        ("input  wire [31:0]             s_axil_wdata", "input  wire [30:0]             s_axil_wdata"),
    ] {
        let said = in_shell(&wrapper, &published, 1, |name, text| {
            assert!(name != module || text.contains(from), "no {from}");
            if name == module { text.replace(from, to) } else { text }
        });
        assert!(said.contains('%'), "{to} is not found");
    }
    let (wrapper, published) = corundum();
    for (from, to) in [
        ("s_axis_sync_tx_cpl_tag", "s_axis_sync_tx_ptp_ts_tag"),
        ("parameter TX_TAG_WIDTH = 16", "parameter PTP_TAG_WIDTH = 16"),
        (
            "output wire [PORT_COUNT-1:0]                         s_axis_sync_tx_tready",
            "output wire [PORT_COUNT:0]                         s_axis_sync_tx_tready",
        ),
        (
            "parameter AXIS_SYNC_KEEP_WIDTH = AXIS_SYNC_DATA_WIDTH/8",
            "parameter AXIS_SYNC_KEEP_WIDE = AXIS_SYNC_DATA_WIDTH/8",
        ),
    ] {
        let said = in_shell(&wrapper, &published, 1, |name, text| {
            if name == wrapper.sources[2].0 { replaced(&text, from, to) } else { text }
        });
        assert!(said.contains('%'), "{to} is not found");
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from}");
    text.replace(from, to)
}

#[test]
fn the_tables_have_each_port_of_the_sources_once() {
    let (_, app_block) = corundum();
    let counts = [(opennic(0).1, 54), (opennic(1).1, 44), (app_block, 336)];
    for (published, ports) in counts {
        assert_eq!(published.ports.len(), ports, "{}", published.name);
        let mut names: Vec<&str> = published.ports.iter().map(|port| port.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ports, "{}", published.name);
        assert!(published.ports.iter().any(|port| port.direction == Direction::Output));
    }
}

/// The sources of the shells state a time scale, so a lint of all of them warns of a module without one.
#[test]
fn a_source_without_a_time_scale_is_found() {
    let (wrapper, published) = opennic(0);
    let said = in_shell(&wrapper, &published, 1, |_, text| text.replace("`timescale 1ns / 1ps\n", ""));
    assert!(said.contains("TIMESCALEMOD"), "{said}");
}

/// A file of a shell that the page names: repository, commit and path.
struct Place {
    repository: &'static str,
    commit: &'static str,
    path: &'static str,
}

fn places() -> Vec<Place> {
    let lines = include_str!("published/places.txt").lines().filter(|line| !line.starts_with('#'));
    let place = |line: &'static str| {
        let [repository, commit, path] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        Place { repository, commit, path }
    };
    lines.map(place).collect()
}

#[test]
fn the_page_and_the_tables_name_files_of_the_shells_by_commits_that_clones_have() {
    let page = include_str!("../../../docs/integration.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let places = places();
    for Place { repository, commit, path } in &places {
        assert!(commit.len() == 40 && page.contains(repository), "{repository} {commit}");
        // the page has a path, or its end where the folder stands elsewhere, and the first digits of its commit
        let name = path.rsplit('/').next().unwrap();
        assert!(
            page.contains(path) || !path.starts_with("fpga/") && page.contains(name),
            "the page has no {path}"
        );
        assert!(page.contains(&commit[..8]), "the page has no commit {} for {path}", &commit[..8]);
    }
    // commits of a word on the page, and those at the heads of the tables, are among them
    let is_listed = |digits: &str| places.iter().any(|place| place.commit.starts_with(digits));
    for after in page.split("commit ").skip(1) {
        let digits: String = after.chars().take_while(char::is_ascii_hexdigit).collect();
        assert!(digits.len() < 8 || is_listed(&digits), "commit {digits} of the page is not listed");
    }
    for (table, text) in [
        ("box_250mhz", include_str!("published/box_250mhz.txt")),
        ("box_322mhz", include_str!("published/box_322mhz.txt")),
        ("mqnic_app_block", include_str!("published/mqnic_app_block.txt")),
    ] {
        let source = |place: &&Place| {
            text.contains(&format!("{}, commit {}, {}", place.repository, place.commit, place.path))
        };
        assert!(places.iter().any(|place| source(&place)), "the head of {table} names none of the files");
    }
}

/// The number of times that a line of a source declares a port or a parameter, as far as a line holds one.
fn declared(source: &str, words: &[&str]) -> usize {
    source.lines().filter(|line| words.iter().any(|word| line.trim_start().starts_with(word))).count()
}

#[test]
#[ignore = "needs clones of the shells, in the folder RESPRAY_CLONES"]
fn clones_of_the_shells_have_these_commits_and_files() {
    let Ok(folder) = std::env::var("RESPRAY_CLONES") else {
        eprintln!("skipped: RESPRAY_CLONES names no folder with clones of open-nic-shell and corundum");
        return;
    };
    for Place { repository, commit, path } in places() {
        let clone = Path::new(&folder).join(repository.rsplit('/').next().unwrap());
        let shown =
            Command::new("git").arg("-C").arg(&clone).args(["show", &format!("{commit}:{path}")]).output();
        let shown = shown.expect("git runs");
        assert!(shown.status.success(), "{}: {}", clone.display(), String::from_utf8_lossy(&shown.stderr));
        if path.ends_with("mqnic_app_block.v") {
            let source = String::from_utf8_lossy(&shown.stdout).into_owned();
            let (_, table) = corundum();
            assert_eq!(declared(&source, &["parameter "]), table.parameters.len());
            assert_eq!(declared(&source, &["input ", "output "]), table.ports.len());
        }
    }
}

#[test]
#[ignore = "lints the whole block four times"]
fn wrappers_with_the_block_are_clean_for_verilator_and_icarus() {
    for sets in [&[][..], &["wire=uet", "nic.selector=ops"]] {
        for wrapper in shells::NAMES.iter().flat_map(|shell| shells::generate(shell, &config(sets)).unwrap())
        {
            let folder = folder(&wrapper, |_, text| text);
            let names: Vec<&str> = wrapper.sources.iter().map(|(name, _)| name.as_str()).collect();
            let said = lint(folder.path(), &wrapper.top, &names);
            assert!(said.is_empty(), "{}: {said}", wrapper.top);
            let mut icarus = Command::new("iverilog");
            icarus.args(["-g2005", "-Wall", "-o", "/dev/null", "-s", &wrapper.top]).args(&names);
            let output = icarus.current_dir(folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(output.status.success() && said.is_empty(), "{}: {said}", wrapper.top);
        }
    }
}

#[test]
fn a_bus_that_a_shell_does_not_have_is_refused() {
    let narrow = config(&["bus_bits=256"]);
    for shell in ["opennic", "corundum"] {
        let error = shells::generate(shell, &narrow).unwrap_err();
        assert_eq!(error, ShellError::Bus { shell: shell.into(), bus_bits: 256 });
        assert!(
            error.to_string().contains("`bus_bits` is 256") && error.to_string().contains("512"),
            "{error}"
        );
    }
    assert!(shells::generate("plain", &narrow).is_ok());
    let error = shells::generate("p4", &Config::default()).unwrap_err().to_string();
    assert_eq!(error, "there is no shell `p4`; the shells are opennic, corundum, plain");
}

/// What the ports of the wrapper for any other shell go to: each bus is named by its ports, as they are.
#[test]
fn the_table_for_a_design_of_ones_own_names_the_ports_that_the_plain_wrapper_has() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/integration.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("### In a Vivado design of your own").unwrap();
    let rows =
        section.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with('|'));
    let named: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();

    let plain = shells::generate("plain", &config(&["connections=16", "sack.window=64"])).unwrap().remove(0);
    let (_, top) = plain.sources.iter().find(|(name, _)| name.ends_with("nic_plain.v")).unwrap();
    let (head, _) = top[top.find("module nic_plain (").unwrap()..].split_once(");").unwrap();
    let ports: Vec<&str> = head.split([' ', ',', '\n']).filter(|word| !word.is_empty()).collect();
    let unknown: Vec<_> = named.iter().filter(|name| !ports.contains(name)).collect();
    assert!(named.len() > 25 && unknown.is_empty(), "{unknown:?} of {named:?}");
}

/// The wrappers as they read, without the modules below them.
#[test]
fn the_wrappers_read_as_they_did() {
    for (shell, name) in [("opennic", "opennic_250mhz"), ("corundum", "corundum")] {
        let wrapper = wrappers(shell).remove(0);
        insta::assert_snapshot!(name, wrapper.sources[2].1);
        let lane = &wrapper.sources[1].1;
        assert!(!lane.contains("module nic_shell"), "the block stands in a file of its own");
        let top = lane.find("module nic_lane_").unwrap();
        insta::assert_snapshot!(format!("lane_{name}"), &lane[top..]);
    }
    let glue: Vec<String> = shells::opennic::glue(shells::lane::UserBox::Mhz322)
        .into_iter()
        .map(|(name, text)| format!("==> {name}\n{text}"))
        .collect();
    insta::assert_snapshot!("opennic_322mhz_glue", glue.join("\n"));
}
