//! Verilog in which unknown bits spread, in Icarus Verilog.

use std::fmt::Write as _;
use std::process::Command;

use respray_hdl::catalogue;
use respray_hdl::config::{Config, PathSelector};
use respray_hdl::manifest::{Direction, Generated};
use respray_mutate::unknown::{Register, spread};
use respray_mutate::verilog::sites;

fn generated(name: &str, sets: &[&str]) -> Generated {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    catalogue::generate(name, &Config::load(None, &sets).unwrap()).unwrap()
}

/// What a simulation prints.
fn said(verilog: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.v"), verilog).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        said
    };
    run("iverilog", &["-g2005", "-s", "bench", "-o", "all.vvp", "all.v"]);
    run("vvp", &["-n", "all.vvp"])
}

/// A module with registers that nobody gives a value at first, in each way in which one can reach another.
const SMALL: &str = "
// a memory
module sample_memory (
    input  wire       clk,
    input  wire       write_enable,
    input  wire [1:0] write_address,
    input  wire [7:0] write_data,
    input  wire [1:0] read_address,
    output reg  [7:0] read_data
);

    reg [7:0] words [0:3];

    always @(posedge clk) begin
        if (write_enable) words[write_address] <= write_data;
        read_data <= words[read_address];
    `ifndef SYNTHESIS
        if (write_enable && write_address == read_address) read_data <= ~words[read_address];
    `endif
    end
endmodule

module sample (
    input  wire       clk,
    input  wire       rst,
    input  wire       load,
    input  wire [7:0] value,
    output reg  [7:0] count,
    output wire [7:0] chosen,
    output wire       out_valid,
    output wire [7:0] read
);

    reg [7:0] held;
    reg [7:0] alike;
    reg is_there;

    // of no bit of `held` does anything depend that both branches agree on
    reg [7:0] choice;
    always @* begin
        choice = 8'hf0;
        if (held == 8'd3 & !rst) begin
            choice = 8'hff;
        end
    end
    assign chosen = choice;
    assign out_valid = WRONG_VALID;

    sample_memory memory (
        .clk(clk),
        .write_enable(WRONG_WRITE),
        .write_address(count[1:0]),
        .write_data(value),
        .read_address(count[1:0]),
        .read_data(read)
    );

    always @(posedge clk) begin
        if (load) begin
            held <= value;
        end
        alike <= choice;
        is_there <= is_there | load;
        if (WRONG_COUNT) begin
            count <= count + 8'd1;
        end
        if (rst) begin
            count <= 8'd0;
            is_there <= 1'b0;
        end
    end
endmodule
";

/// Shows the outputs in four cycles behind a reset, of which the third takes a value.
const BENCH: &str = "
module bench;
    reg clk = 1'b0, rst = 1'b1, load = 1'b0;
    wire [7:0] count, chosen, read;
    wire out_valid;
    integer cycle;
    sample core (clk, rst, load, 8'd3, count, chosen, out_valid, read);
    initial begin
        for (cycle = 0; cycle < 6; cycle = cycle + 1) begin
            rst = cycle < 2;
            load = cycle == 4;
            #1 clk = 1'b1;
            #1 clk = 1'b0;
            if (cycle > 1) $display(\"%b %b %b %b\", count, chosen, out_valid, read);
        end
    end
endmodule
";

/// What is printed of [`SMALL`] with these in its places.
fn small(count: &str, valid: &str, write: &str) -> String {
    let text = SMALL.replace("WRONG_COUNT", count).replace("WRONG_VALID", valid);
    let text = text.replace("WRONG_WRITE", write);
    said(&(spread("sample", &text).verilog + BENCH))
}

#[test]
fn an_unknown_condition_leaves_the_bits_unknown_on_which_the_branches_differ() {
    // a register without a reset is looked at only where it was loaded
    let good = "00000000 1111xxxx 0 xxxxxxxx
00000000 1111xxxx 0 xxxxxxxx
00000000 11111111 1 xxxxxxxx
00000001 11111111 1 00000011
";
    let masked = small("is_there && held == 8'd3", "is_there", "load");
    assert_eq!(masked, good);
}

#[test]
fn an_unknown_bit_is_told_where_it_reaches_what_must_be_known() {
    // a plain simulation takes each of these conditions for false
    let counting = small("held == 8'd3", "is_there", "load");
    assert!(counting.contains("unknown bits in bench.core.count: xxxxxxxx"), "{counting}");
    let offering = small("is_there", "held == 8'd3", "load");
    assert!(offering.contains("unknown: output out_valid"), "{offering}");
    let writing = small("is_there", "is_there", "held == 8'd3");
    assert!(writing.contains("unknown whether a word is written in bench.core.memory"), "{writing}");
    let text = SMALL.replace("WRONG_COUNT", "is_there").replace("WRONG_VALID", "is_there");
    let text = text
        .replace("WRONG_WRITE", "load")
        .replace(".write_address(count[1:0])", ".write_address(held[1:0])");
    let placing = said(&(spread("sample", &text).verilog + BENCH));
    assert!(placing.contains("unknown address of a word that is written in bench.core.memory"), "{placing}");
}

#[test]
fn registers_are_listed_with_what_sets_them() {
    let text = SMALL.replace("WRONG_COUNT", "is_there").replace("WRONG_VALID", "is_there");
    let found = spread("sample", &text.replace("WRONG_WRITE", "load")).registers;
    let of = |register: &Register| (register.name.clone(), register.has_reset, register.keeps);
    let expected = [
        ("read_data", false, false),
        ("held", false, true),
        ("alike", false, false),
        ("is_there", true, true),
        ("count", true, true),
    ];
    let expected = expected.map(|(name, has_reset, keeps)| (name.to_string(), has_reset, keeps));
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), expected);

    // none is left out of any core
    for entry in catalogue::entries() {
        let text = generated(entry.name, &[]).verilog;
        let listed = spread(entry.name, &text).registers;
        let modules = sites(&text).modules;
        let memories = |name: &String| name == "words";
        let known: usize =
            modules.iter().map(|module| module.registers.iter().filter(|name| !memories(name)).count()).sum();
        let without = listed.iter().filter(|register| !register.has_reset).count();
        println!("{}: {} registers, {without} without a reset", entry.name, listed.len());
        assert!(listed.len() >= known && known > 0, "{}: {} of {known}", entry.name, listed.len());
    }
}

/// A bench around the joined block: behind a reset the host and the MAC send a frame each that is not the profile's, and whose last beat
/// has one byte. It prints how many beats leave on either side.
fn scene(generated: &Generated) -> String {
    let mut bench = String::from(
        "module bench;\n    reg clk = 1'b0;\n    integer cycle, sent = 0, came = 0, to_mac = 0, to_host = 0;\n",
    );
    let mut pins = Vec::new();
    for port in &generated.manifest.ports {
        let (kind, start) = match port.direction {
            Direction::Input => ("reg", " = 0"),
            Direction::Output => ("wire", ""),
        };
        if port.name != "clk" {
            let _ = writeln!(bench, "    {kind} [{}:0] {}{start};", port.width - 1, port.name);
        }
        pins.push(format!(".{0}({0})", port.name));
    }
    let bytes = generated.manifest.config.bus_bits / 8;
    let (pins, bits) = (pins.join(", "), 8 * bytes);
    let _ = write!(
        bench,
        "    nic core ({pins});
    task look(input [{bits}-1:0] data, input last, input known);
        if (known === 1'bx || (last && data[{bits}-1:8] !== 0)) $display(\"cycle %0d: %h\", cycle, data);
    endtask
    initial begin
        tx_out_tready = 1'b1;
        rx_out_tready = 1'b1;
        event_tready = 1'b1;
        for (cycle = 0; cycle < 3000 && to_mac + to_host < 16; cycle = cycle + 1) begin
            rst = cycle == 0;
            tx_in_tvalid = sent < 8;
            tx_in_tdata = {{{bytes}{{8'h11}}}} * (sent + 1);
            tx_in_tkeep = sent == 7 ? 1 : {{{bytes}{{1'b1}}}};
            tx_in_tlast = sent == 7;
            rx_in_tvalid = came < 8;
            rx_in_tdata = {{{bytes}{{8'h11}}}} * (came + 1);
            rx_in_tkeep = came == 7 ? 1 : {{{bytes}{{1'b1}}}};
            rx_in_tlast = came == 7;
            #1;
            if (tx_out_tvalid === 1'b1) begin
                to_mac = to_mac + 1;
                look(tx_out_tdata, tx_out_tlast, ^{{tx_out_tdata, tx_out_tkeep, tx_out_tuser}});
            end
            if (rx_out_tvalid === 1'b1) begin
                to_host = to_host + 1;
                look(rx_out_tdata, rx_out_tlast, ^{{rx_out_tdata, rx_out_tkeep, rx_kind, rx_error}});
            end
            if (rst === 1'b0) begin
                if (tx_in_tvalid && tx_in_tready === 1'b1) sent = sent + 1;
                if (rx_in_tvalid && rx_in_tready === 1'b1) came = came + 1;
            end
            clk = 1'b1;
            #1 clk = 1'b0;
        end
        $display(\"%0d beats to the MAC, %0d to the host\", to_mac, to_host);
    end
endmodule
"
    );
    bench
}

const ALL_LEFT: &str = "8 beats to the MAC, 8 to the host\n";

#[test]
fn frames_leave_the_joined_block_without_an_unknown_bit() {
    let nic = generated("nic", &["bus_bits=64", "connections=16"]);
    let run = |text: &str| said(&(spread("nic", text).verilog + &scene(&nic)));
    assert_eq!(run(&nic.verilog), ALL_LEFT);
    // what an ethertype is before one came
    let reset = "            head_udp <= STEP;\n";
    assert_eq!(nic.verilog.matches(reset).count(), 3, "the decoders of ethertypes are generated differently");
    let unknown = run(&nic.verilog.replace(reset, ""));
    assert!(unknown.contains("unknown bits in bench.core.sender."), "{unknown}");
    // a byte that nobody names
    let named = "keep[i] ? data[8*i +: 8] : 8'd0;";
    assert_eq!(nic.verilog.matches(named).count(), 1, "bytes that nobody names are cleared differently");
    let left = run(&nic.verilog.replace(named, "data[8*i +: 8];"));
    assert_eq!(left.lines().count(), 3, "{left}");
}

#[test]
#[ignore = "the joined block with each path selector and on each bus: `make test-long`"]
fn frames_leave_every_joined_block_without_an_unknown_bit() {
    let selectors = PathSelector::NAMES.map(|selector| format!("nic.selector={selector}"));
    let others = ["nic.window=strack", "sack.engine=fast"].map(String::from);
    let selectors = [&selectors[..], &others].concat();
    let mut refused = 0;
    for bus in ["64", "128", "256", "512"] {
        for wire in ["strack", "uet"] {
            for more in &selectors {
                let (bus, wire) = (format!("bus_bits={bus}"), format!("wire={wire}"));
                let sets = [bus.as_str(), wire.as_str(), "connections=16", more.as_str()];
                if let Err(error) = Config::load(None, &sets.map(String::from)) {
                    let error = error.to_string();
                    assert!(wire == "wire=uet" && error.contains("whose ACKs echo no timestamp"), "{error}");
                    refused += 1;
                    continue;
                }
                let nic = generated("nic", &sets);
                let seen = said(&(spread("nic", &nic.verilog).verilog + &scene(&nic)));
                assert_eq!(seen, ALL_LEFT, "{sets:?}");
            }
        }
    }
    // flowcut and the window of STrack, on each bus
    assert_eq!(refused, 8);
}
