//! A simulation of cores with their assertions under random traffic: several variants of each side by side, so that one program shows of
//! all of them which rules they break.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::config::Config;
use respray_hdl::contract::Words as _;
use respray_hdl::manifest::{Direction, Port};

use super::verilator;

/// Random ops of each core; they begin anew where they end, and with a reset.
const OPS: usize = 8192;
/// They are of so many connections, one of which is watched, as a search for a fault in a proof watches one of the first few.
const CONNECTIONS: u32 = 4;

/// EtherTypes of the shim and of IPv4, of which two of three frames have one.
const SHIM: u16 = 0x88b5;
const IPV4: u16 = 0x0800;

/// Random ops as lines of hexadecimal digits, the first port in the lowest bits, and the ports with their widths.
pub struct Ops {
    ports: Vec<(&'static str, u32)>,
    lines: String,
}

struct Drawn<'a>(u64, &'a Config);

impl Visitor for Drawn<'_> {
    type Output = Ops;

    fn visit<C: Compiled + 'static>(self) -> Ops {
        let fields: Vec<_> = C::CONTRACT.op_fields().collect();
        let ports: Vec<(&str, u32)> =
            fields.iter().map(|field| (field.port, field.width.bits(self.1))).collect();
        let bits: u32 = ports.iter().map(|(_, bits)| bits).sum();
        let connections = C::CONTRACT.connections(self.1).min(CONNECTIONS);
        let mut knobs = C::Knobs::new(connections);
        // a connection that is closed is seldom in other random ops
        if C::Knobs::NAMES.contains(&"close_share") {
            knobs.set("close_share=0.01", connections).unwrap();
        }
        let mut lines = String::new();
        let drawn = C::random(self.0, &knobs, self.1).filter_map(|entry| entry.event.as_op().copied());
        for op in drawn.take(OPS) {
            let mut digits = vec![0_u8; bits.div_ceil(4) as usize];
            let mut places = vec![0; fields.len()];
            op.each(|place, word| {
                if let Some(to) = places.get_mut(place) {
                    *to = word;
                }
            });
            let mut at = 0;
            for ((_, bits), word) in ports.iter().zip(places) {
                for bit in 0..*bits {
                    digits[(at / 4) as usize] |= ((word >> bit & 1) as u8) << (at % 4);
                    at += 1;
                }
            }
            lines.extend(digits.iter().rev().map(|digit| char::from_digit((*digit).into(), 16).unwrap()));
            lines.push('\n');
        }
        Ops { ports, lines }
    }
}

/// A core that stands in the bench in several variants.
pub struct Bench {
    /// Begins the names of its modules.
    pub name: String,
    /// The core's one word.
    pub core: &'static str,
    pub config: Config,
    pub ports: Vec<Port>,
    /// Name of each, its Verilog, and its assertions.
    pub variants: Vec<(String, String, String)>,
}

/// A text in which each of these modules has another name; `sack_rx` becomes `with_sack_rx`.
fn renamed(text: &str, modules: &BTreeSet<&str>, with: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut out = String::with_capacity(text.len() * 9 / 8);
    for word in text.split_inclusive(|c| !is_part(c)) {
        if modules.contains(word.trim_end_matches(|c| !is_part(c))) {
            out += with;
            out.push('_');
        }
        out += word;
    }
    out
}

/// Names of the modules of a text.
fn modules(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("module ")?.split([' ', '(']).next())
}

impl Bench {
    /// What drives one variant with random ops.
    fn with_ops(&self, of: &str, ops: &Ops) -> String {
        let bits: u32 = ops.ports.iter().map(|(_, bits)| bits).sum();
        let mut at = 0;
        let mut ports = String::new();
        for (port, bits) in &ops.ports {
            let _ = write!(ports, ", .{port}(op[{at} +: {bits}])");
            at += bits;
        }
        if self.ports.iter().any(|port| port.name == "seed") {
            ports += ", .seed(16'd1)";
        }
        format!(
            "module drive_{of} (input wire clk, input wire rst);
    reg [{bits}-1:0] ops [0:{OPS}-1];
    initial $readmemh(\"{name}.hex\", ops);
    integer at = 0;
    integer pause = 0;
    reg op_valid = 1'b0;
    reg taken = 1'b0;
    wire op_ready;
    wire [{bits}-1:0] op = ops[at];
    {of}_{core} dut (.clk(clk), .rst(rst), .op_valid(op_valid), .op_ready(op_ready){ports});
    always @(posedge clk) taken <= op_valid && op_ready && !rst;
    always @(negedge clk)
        if (rst) {{op_valid, at}} = 0;
        else if (pause != 0) pause = pause - 1;
        else if (taken || !op_valid) begin
            if (taken) at = (at + 1) % {OPS};
            op_valid = $urandom_range(5) != 0;
            if ($urandom_range(199) == 0) begin
                op_valid = 1'b0;
                pause = 60;
            end
        end
endmodule\n",
            name = self.name,
            core = self.core,
        )
    }

    /// What drives one variant with packets that are nobody's.
    fn with_packets(&self, of: &str) -> String {
        let of_side = |name: &str, direction| {
            let is_wanted = |port: &&Port| port.direction == direction && port.name.starts_with(name);
            self.ports.iter().filter(is_wanted).collect::<Vec<_>>()
        };
        let beside: Vec<&Port> = of_side("s_", Direction::Input)
            .into_iter()
            .filter(|port| !port.name.starts_with("s_axis_"))
            .collect();
        let width =
            |name: &str| self.ports.iter().find(|port| port.name == name).map_or(0, |port| port.width);
        let [data, keep, user] = ["s_axis_tdata", "s_axis_tkeep", "s_axis_tuser"].map(width);
        let mut declared = String::new();
        let mut drawn = String::new();
        let mut ports = String::new();
        for port in &beside {
            let Port { name, width, .. } = port;
            let _ = writeln!(declared, "    reg [{width}-1:0] {name} = '0;");
            let _ = writeln!(drawn, "            {name} = {{$urandom, $urandom}};");
            let _ = write!(ports, ", .{name}({name})");
        }
        for (name, value) in [("udp_port", 4791), ("flow_label_enable", 1), ("ethertype", SHIM)] {
            if let Some(port) = self.ports.iter().find(|port| port.name == name) {
                let _ = write!(ports, ", .{name}({}'d{value})", port.width);
            }
        }
        if width("meta_ready") != 0 {
            ports += ", .meta_ready(meta_ready)";
        }
        format!(
            "module drive_{of} (input wire clk, input wire rst);
    reg s_axis_tvalid = 1'b0;
    reg s_axis_tlast = 1'b0;
    reg [{data}-1:0] s_axis_tdata = '0;
    reg [{keep}-1:0] s_axis_tkeep = '1;
    reg [{user}-1:0] s_axis_tuser = '0;
    reg m_axis_tready = 1'b1;
    reg meta_ready = 1'b1;
{declared}    reg taken = 1'b0;
    reg is_slow = 1'b0;
    // bytes of the frame before the beat
    integer place = 0;
    wire s_axis_tready;
    {of}_{core} dut (.clk(clk), .rst(rst), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tready(m_axis_tready){ports});
    always @(posedge clk) taken <= s_axis_tvalid && s_axis_tready && !rst;
    always @(negedge clk) begin
        if ($urandom_range(63) == 0) is_slow = !is_slow;
        m_axis_tready = !is_slow || $urandom_range(2) == 0;
        meta_ready = !is_slow || $urandom_range(7) == 0;
        if (rst) {{s_axis_tvalid, place}} = 0;
        else if (taken || !s_axis_tvalid) begin
            if (taken) place = s_axis_tlast ? 0 : place + {keep};
            s_axis_tvalid = $urandom_range(7) != 0;
            for (int i = 0; i < {data} / 32; i++) s_axis_tdata[32 * i +: 32] = $urandom;
            if (place <= 12 && 12 < place + {keep})
                case ($urandom_range(2))
                    0: s_axis_tdata[8 * (12 - place) +: 16] = 16'd{shim};
                    1: s_axis_tdata[8 * (12 - place) +: 16] = 16'd{ipv4};
                endcase
            s_axis_tlast = $urandom_range(9) == 0;
            s_axis_tkeep = '1;
            if (s_axis_tlast) s_axis_tkeep = s_axis_tkeep >> $urandom_range({keep} - 1);
            s_axis_tuser = $urandom_range(15) == 0;
{drawn}        end
    end
endmodule\n",
            core = self.core,
            shim = SHIM.swap_bytes(),
            ipv4 = IPV4.swap_bytes(),
        )
    }
}

/// Compiles benches into one program.
pub fn built(folder: &Path, benches: &[Bench]) -> PathBuf {
    let mut text = String::new();
    let mut instances = String::new();
    let mut files = Vec::new();
    for bench in benches {
        let ops = visit(bench.core, Drawn(1, &bench.config));
        for (variant, verilog, rules) in &bench.variants {
            let of = format!("{}_{variant}", bench.name);
            let modules: BTreeSet<&str> = modules(verilog).chain(modules(rules)).collect();
            for (ending, source) in [(".v", verilog), ("_check.sv", rules)] {
                let name = format!("{of}{ending}");
                let source = source
                    .replace(" one = $urandom;", &format!(" one = $urandom_range({});", CONNECTIONS - 1));
                fs::write(folder.join(&name), renamed(&source, &modules, &of)).unwrap();
                files.push(name);
            }
            text += &match &ops {
                Some(ops) => bench.with_ops(&of, ops),
                None => bench.with_packets(&of),
            };
            let _ = writeln!(instances, "    drive_{of} {of} (.clk(clk), .rst(rst));");
        }
    }
    let _ = write!(
        text,
        "module bench;
    reg clk = 1'b0;
    reg rst = 1'b1;
    integer cycles;
{instances}    always #1 clk = !clk;
    initial begin
        if (!$value$plusargs(\"cycles=%d\", cycles)) cycles = 1000;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        repeat (cycles / 8) @(negedge clk);
        rst = 1'b1;
        @(negedge clk);
        rst = 1'b0;
        repeat (cycles) @(negedge clk);
        $finish;
    end
endmodule\n"
    );
    fs::write(folder.join("bench.sv"), text).unwrap();
    let options = "--binary --assert -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN -j 2 --top-module bench -CFLAGS -O0 -o bench bench.sv";
    let arguments: Vec<&str> = options.split(' ').chain(files.iter().map(String::as_str)).collect();
    let output = verilator(folder, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("obj_dir/bench")
}

/// The rules that each variant breaks, by the name of its top module, within so many clock cycles with a seed.
pub fn broken(
    folder: &Path,
    program: &Path,
    benches: &[Bench],
    seed: u32,
    cycles: u32,
) -> BTreeMap<String, BTreeSet<String>> {
    for bench in benches {
        if let Some(ops) = visit(bench.core, Drawn(seed.into(), &bench.config)) {
            fs::write(folder.join(format!("{}.hex", bench.name)), &ops.lines).unwrap();
        }
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut run = Command::new(program)
        .current_dir(folder)
        .args([format!("+cycles={cycles}"), format!("+verilator+seed+{seed}")])
        .arg("+verilator+error+limit+1000000000")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it was built");
    let mut is_over = false;
    for line in BufReader::new(run.stdout.take().unwrap()).lines().map_while(Result::ok) {
        is_over |= line.contains("$finish");
        // ... Assertion failed in bench.x.dut.rules: x_core: rule: says
        let Some((_, said)) = line.split_once("Assertion failed in ") else { continue };
        let mut parts = said.splitn(4, ": ").skip(1);
        let (Some(variant), Some(rule)) = (parts.next(), parts.next()) else { continue };
        found.entry(variant.to_string()).or_default().insert(rule.to_string());
    }
    _ = run.wait();
    assert!(is_over, "the simulation of {} ended early", program.display());
    found
}
