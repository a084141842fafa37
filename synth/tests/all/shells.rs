//! Scripts and constraints of wrappers, run by commands that stand in for those of Vivado and of the shells.

use std::fs;
use std::path::Path;
use std::process::Command;

use respray_hdl::config::Config;
use respray_hdl::shells::{self, Wrapper};
use respray_synth::device::CARDS;
use respray_synth::package::shell;

/// Commands print their arguments.
const VIVADO: &str = "
proc unknown {name args} { puts \"$name $args\"; return $args }
set params [dict create]
set argv {ARGV}
cd PLACE
if {[catch {source FILE} message]} { puts stderr $message; exit 1 }
puts \"params $params\"
";

fn wrappers() -> Vec<Wrapper> {
    let config = Config::load(None, &["connections=16".to_string(), "sack.window=64".to_string()]).unwrap();
    shells::NAMES.iter().flat_map(|name| shells::generate(name, &config).unwrap()).collect()
}

/// Runs a script in its folder.
fn tclsh(folder: &Path, name: &str, argv: &str) -> (bool, String) {
    let text =
        VIVADO.replace("FILE", name).replace("ARGV", argv).replace("PLACE", &folder.display().to_string());
    let script = folder.join("stand_in.tcl");
    fs::write(&script, text).unwrap();
    let output = Command::new("tclsh").arg(&script).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), said)
}

#[test]
fn scripts_and_constraints_of_wrappers_name_files_and_cells_that_are_there() {
    if Command::new("tclsh").arg("/dev/null").output().is_err() {
        eprintln!("skipped: no tclsh here");
        return;
    }
    for wrapper in wrappers() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in shell::files(&wrapper) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let place = folder.path().join(&wrapper.folder);
        let top = &wrapper.top;

        // a project for each card, of sources that are there
        let (good, said) = tclsh(&place, &format!("{top}.tcl"), "");
        assert!(good && said.matches("create_project").count() == CARDS.len(), "{said}");
        files_are_there(&said, "add_files -norecurse ");
        files_are_there(&said, "add_files -fileset constrs_1 -norecurse ");
        let listed = fs::read_to_string(place.join(format!("{top}.f"))).unwrap();
        for source in listed.lines().filter(|line| !line.starts_with("//")) {
            assert!(place.join(source).is_file() && said.contains(source), "{source}: {said}");
        }

        // a clock for each clock port, and constraints of registers that the sources have
        let (good, said) = tclsh(&place, &format!("constraints/{top}_out_of_context.xdc"), "");
        assert!(good && said.matches("create_clock").count() == wrapper.clocks.len(), "{said}");
        for (port, _) in &wrapper.clocks {
            let name = port.split('[').next().unwrap();
            assert!(wrapper.sources.last().unwrap().1.contains(name), "{name} is no port");
        }
        if wrapper.has_crossing() {
            let (good, said) = tclsh(&place, &format!("constraints/{top}.xdc"), "");
            assert!(good && !said.contains("create_clock"), "{said}");
            cells_are_there(&said, &wrapper.sources[1].1);
        }
        if let Some(of) = wrapper.opennic_box {
            let (good, said) = tclsh(&place, &format!("build_box_{}.tcl", of.mhz()), "");
            assert!(good && said.matches("read_verilog").count() == wrapper.sources.len(), "{said}");
            files_are_there(&said, "read_verilog ");
            files_are_there(&said, "read_xdc ");
        }
        if wrapper.folder == "corundum" {
            let (good, said) = tclsh(&place, "config_nic.tcl", "");
            files_are_there(&said, "add_files -norecurse ");
            let number = wrapper.sources.last().unwrap().1.contains("parameter APP_ID = 32'h5253504e");
            assert!(good && number && said.contains("APP_ID 32'h5253504e APP_ENABLE 1"), "{said}");
        }
    }
}

/// Each file that the command names.
fn files_are_there(said: &str, command: &str) {
    let mut files = said.lines().filter_map(|line| line.strip_prefix(command)).peekable();
    assert!(files.peek().is_some(), "{command}: {said}");
    for file in files.filter(|file| !file.starts_with('-')) {
        assert!(Path::new(file).is_file(), "{command}{file}");
    }
}

/// The registers in the filters are registers of the parts that the filters name.
fn cells_are_there(said: &str, lane: &str) {
    let mut count = 0;
    for pattern in said.split("NAME =~ *").skip(1) {
        let (instance, rest) = pattern.split_once('/').unwrap();
        let register = rest.split("_reg*").next().unwrap();
        assert!(lane.contains(&format!(" {instance} (")), "no instance {instance}");
        let module = lane.split(&format!("module shell_{instance} (")).nth(1).unwrap();
        let body = module.split("endmodule").next().unwrap();
        // names of one declaration, or of ports, up to the next direction
        let is_register = |declared: &&str| {
            let declared = declared.trim_start();
            let names = declared.strip_prefix('[').and_then(|range| range.split_once(']'));
            let names = names.map_or(declared, |(_, names)| names).split([',', ';', ')']).map(str::trim);
            names.take_while(|name| !name.contains(' ')).any(|name| name == register)
        };
        let declared: Vec<&str> = body.split(" reg ").skip(1).collect();
        assert!(declared.iter().any(is_register), "{instance} has no register {register}");
        count += 1;
    }
    assert!(count > 10, "{said}");
}
