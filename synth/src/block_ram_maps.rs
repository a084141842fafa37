//! A fault of Yosys before 0.65: how it connects block RAMs of UltraScale+ and of the 7 series with words of 72 bits.
//!
//! In `brams_xcu_map.v` and `brams_xc6v_map.v` of those releases the width of a port is compared with 71 in place of 72. So the upper parity
//! inputs of a RAMB36 take the lower ones, and bits 44, 53, 62 and 71 of a wide word are those of another place. Block RAMs, LUTs and levels
//! are counted right, but the hardware is wrong. YosysHQ/yosys pull request 5833 mended it.

use std::path::{Path, PathBuf};

use crate::tool::{Tool, ToolError, Toolbox};

/// The files, in the folder `xilinx` of Yosys' library.
const FILES: [&str; 2] = ["brams_xcu_map.v", "brams_xc6v_map.v"];
/// What stands in a file with the fault.
const FAULT: &str = "_WIDTH == 71 ";
/// What Yosys says of a file that it reads, up to the path.
const READS: &str = "Parsing Verilog input from `";

impl Toolbox {
    /// Yosys, for results of UltraScale+ and of the 7 series. The files that this Yosys would read are looked at.
    ///
    /// # Errors
    /// There is no Yosys, or its files have the fault.
    pub fn yosys_for_xilinx(&self) -> Result<&Tool, ToolError> {
        let yosys = self.yosys()?;
        let faulty = self.faulty_maps.get_or_init(|| {
            let folder = self.package_folder("pyosys").map(|package| package.join("share/xilinx"));
            folder
                .filter(|_| yosys.is_of(self.venv()))
                .or_else(|| library_of(yosys))
                .and_then(|folder| faulty(&folder))
        });
        match faulty {
            None => Ok(yosys),
            Some(file) => Err(ToolError::FaultyLibrary { tool: yosys.describe(), file: file.clone() }),
        }
    }
}

/// The folder of the files, as Yosys itself names it where it reads one.
fn library_of(yosys: &Tool) -> Option<PathBuf> {
    let folder = tempfile::tempdir().ok()?;
    let script = format!("tee -q -o log.txt read_verilog -lib +/xilinx/{}\n", FILES[0]);
    std::fs::write(folder.path().join("ask.ys"), script).ok()?;
    // the file needs to be read no further than its name: what becomes of the rest does not matter
    let _ = yosys.run(folder.path(), &["ask.ys"]);
    let said = std::fs::read_to_string(folder.path().join("log.txt")).ok()?;
    let file = said.lines().find_map(|line| line.split_once(READS)?.1.split('\'').next())?;
    Path::new(file).parent().map(Path::to_path_buf)
}

/// The first file of the library with the fault.
fn faulty(folder: &Path) -> Option<PathBuf> {
    FILES
        .iter()
        .map(|name| folder.join(name))
        .find(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(FAULT)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A project whose only Yosys is a script on the PATH that reads files as Yosys does, from `library`.
    fn on_path(folder: &Path, library: &Path) -> Tool {
        let program = folder.join("yosys");
        let script = format!(
            "#!/bin/sh\nfor script; do :; done\n[ \"$1\" = -V ] && echo 'Yosys 0.23' && exit\nname=$(sed 's/.*+//' $script)\n\
             cat >log.txt <<END\n1. Executing Verilog-2005 frontend.\n{}{}/..$name' to AST representation.\nEND\n",
            READS.replace('`', "\\`"),
            library.display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Tool::on_path("yosys", program.to_str().unwrap(), "-V", &["-q", "-s"]).unwrap()
    }

    #[test]
    fn a_library_that_compares_a_width_with_71_is_found_where_yosys_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("share/xilinx");
        fs::create_dir_all(&library).unwrap();
        let line = |width: u32| format!("\t\t.DIPBDIP(PORT_W_WIDTH == {width} ? DIP[7:4] : DIP[3:0]),\n");
        for name in FILES {
            fs::write(library.join(name), line(72)).unwrap();
        }
        let yosys = on_path(folder.path(), &library);
        let read = library_of(&yosys).unwrap();
        assert_eq!(read.canonicalize().unwrap(), library.canonicalize().unwrap());
        assert_eq!(faulty(&read), None);
        for name in FILES {
            fs::write(library.join(name), line(71)).unwrap();
            assert!(faulty(&read).unwrap().ends_with(name));
            fs::write(library.join(name), line(72)).unwrap();
        }
    }
}
