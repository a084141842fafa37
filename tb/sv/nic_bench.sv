// Frames and register accesses into the Verilog of `nic`, one at a time, and a scoreboard that compares what comes out.
//
//   +script=FILE    a line each: `write ADDRESS VALUE`, `tx HEX` of a frame of the host, `rx HEX` of one from the network;
//                   other lines are passed over
// A bench is a program: it assigns at once what it then waits with.
// verilator lint_off BLKSEQ
module nic_bench;
  import respray_golden_pkg::*;

  localparam int BYTES = 64;
  // Clock cycles in which the block ends all that one frame brings about.
  localparam int SETTLED = 100;
  // Clock cycles of a tick of the wire, the longest that there is, and a margin around its end.
  localparam int TICK_SHIFT = 16;
  localparam longint unsigned MARGIN = 1000;

  logic clk = 1'b0;
  logic rst = 1'b1;
  logic [11:0] s_axil_awaddr = '0, s_axil_araddr = '0;
  logic s_axil_awvalid = 1'b0, s_axil_wvalid = 1'b0, s_axil_arvalid = 1'b0;
  logic s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid;
  logic [31:0] s_axil_wdata = '0, s_axil_rdata;
  logic [3:0] s_axil_wstrb = '1;
  logic [1:0] s_axil_bresp, s_axil_rresp;
  logic s_axil_bready = 1'b1, s_axil_rready = 1'b1;
  logic [8*BYTES-1:0] tx_in_tdata = '0, rx_in_tdata = '0, tx_out_tdata, rx_out_tdata;
  logic [BYTES-1:0] tx_in_tkeep = '0, rx_in_tkeep = '0, tx_out_tkeep, rx_out_tkeep;
  logic tx_in_tvalid = 1'b0, rx_in_tvalid = 1'b0, tx_out_tvalid, rx_out_tvalid;
  logic tx_in_tlast = 1'b0, rx_in_tlast = 1'b0, tx_out_tlast, rx_out_tlast;
  logic tx_in_tuser = 1'b0, rx_in_tuser = 1'b0, tx_out_tuser;
  logic tx_in_tready, rx_in_tready;
  logic tx_out_tready = 1'b0, rx_out_tready = 1'b0, event_tready = 1'b0;
  logic [1:0] rx_kind, rx_ecn;
  logic [2:0] rx_error, rx_status;
  logic [23:0] rx_conn;
  logic [31:0] rx_psn;
  logic [15:0] rx_bytes, rx_ev, rx_timestamp;
  logic rx_ack_request;
  logic [127:0] event_tdata;
  logic event_tvalid;

  nic dut (.*);

  always #1 clk = !clk;
  longint unsigned cycle = 0;
  always @(posedge clk) cycle <= cycle + 1;

  // Who takes from the block pauses at random.
  always @(negedge clk) begin
    tx_out_tready = $urandom_range(3) != 0;
    rx_out_tready = $urandom_range(3) != 0;
    event_tready = $urandom_range(3) != 0;
  end

  nic_scoreboard golden;
  initial golden = new();

  frame_t sent, delivered;
  always @(posedge clk) begin
    row_t beside;
    frame_t nothing;
    if (!rst && tx_out_tvalid && tx_out_tready) begin
      for (int at = 0; at < BYTES; at++) if (tx_out_tkeep[at]) sent.push_back(tx_out_tdata[8*at+:8]);
      if (tx_out_tlast) begin
        beside[0] = 64'(tx_out_tuser);
        golden.saw(0, sent, beside, 1);
        sent.delete();
      end
    end
    if (!rst && rx_out_tvalid && rx_out_tready) begin
      for (int at = 0; at < BYTES; at++) if (rx_out_tkeep[at]) delivered.push_back(rx_out_tdata[8*at+:8]);
      if (rx_out_tlast) begin
        beside[0] = 64'(rx_kind);
        beside[1] = 64'(rx_error);
        beside[2] = 64'(rx_conn);
        beside[3] = 64'(rx_psn);
        beside[4] = 64'(rx_bytes);
        beside[5] = 64'(rx_ecn);
        beside[6] = 64'(rx_ev);
        beside[7] = 64'(rx_timestamp);
        beside[8] = 64'(rx_ack_request);
        beside[9] = 64'(rx_status);
        golden.saw(1, delivered, beside, 10);
        delivered.delete();
      end
    end
    if (!rst && event_tvalid && event_tready) begin
      beside[0] = 64'(event_tdata[3:0]);
      beside[1] = 64'(event_tdata[4]);
      beside[2] = 64'(event_tdata[31:8]);
      beside[3] = 64'(event_tdata[63:32]);
      beside[4] = 64'(event_tdata[79:64]);
      beside[5] = 64'(event_tdata[95:80]);
      beside[6] = 64'(event_tdata[127:96]);
      golden.saw(2, nothing, beside, 7);
    end
  end

  // Waits until no tick ends while the next thing happens, and tells the time.
  task automatic begins();
    while (cycle % (64'd1 << TICK_SHIFT) < MARGIN || cycle % (64'd1 << TICK_SHIFT) > (64'd1 << TICK_SHIFT) - MARGIN) @(negedge clk);
    golden.now(cycle);
  endtask

  // Waits until all that is due has come, and as long as the block may still be at work.
  task automatic settles();
    for (int waited = 0; !golden.is_done() && waited < 20 * SETTLED; waited++) @(negedge clk);
    repeat (SETTLED) @(negedge clk);
    if (!golden.is_done()) golden.ends();
  endtask

  task automatic write(int unsigned address, int unsigned value);
    begins();
    {s_axil_awaddr, s_axil_awvalid, s_axil_wdata, s_axil_wvalid} = {12'(address), 1'b1, value, 1'b1};
    while (s_axil_awvalid || s_axil_wvalid) begin
      bit takes_address, takes_data;
      @(posedge clk);
      takes_address = s_axil_awready;
      takes_data = s_axil_wready;
      @(negedge clk);
      if (takes_address) s_axil_awvalid = 1'b0;
      if (takes_data) s_axil_wvalid = 1'b0;
    end
    while (!s_axil_bvalid) @(negedge clk);
    golden.wrote(address, value, s_axil_bresp != 2'd0);
    settles();
  endtask

  task automatic send(bit to_network, frame_t frame);
    begins();
    for (int first = 0; first < frame.size(); first += BYTES) begin
      logic [8*BYTES-1:0] data = '0;
      logic [BYTES-1:0] keep = '0;
      bit last = first + BYTES >= frame.size();
      bit taken = 1'b0;
      for (int at = first; at < first + BYTES && at < frame.size(); at++) begin
        data[8*(at-first)+:8] = frame[at];
        keep[at-first] = 1'b1;
      end
      if (to_network) {tx_in_tdata, tx_in_tkeep, tx_in_tlast, tx_in_tvalid} = {data, keep, last, 1'b1};
      else {rx_in_tdata, rx_in_tkeep, rx_in_tlast, rx_in_tvalid} = {data, keep, last, 1'b1};
      while (!taken) begin
        @(posedge clk);
        taken = to_network ? tx_in_tready : rx_in_tready;
        // the model hears of a frame before any of it can leave the block
        if (taken && first == 0) golden.took(to_network ? 0 : 1, frame, 1'b0);
        @(negedge clk);
      end
    end
    tx_in_tvalid = 1'b0;
    rx_in_tvalid = 1'b0;
    settles();
  endtask

  function automatic frame_t bytes_of(string hex);
    frame_t frame;
    frame.delete();  // a queue is kept by Verilator 5.006 from one call to the next
    for (int at = 0; at < hex.len(); at += 2) begin
      string digits = hex.substr(at, at + 1);
      frame.push_back(8'(digits.atohex()));
    end
    return frame;
  endfunction

  initial begin
    string path, word, hex;
    int unsigned address, value, frames;
    int script;
    if (!$value$plusargs("script=%s", path)) $fatal(1, "+script=FILE is missing");
    script = $fopen(path, "r");
    if (script == 0) $fatal(1, "%s cannot be read", path);
    repeat (4) @(negedge clk);
    rst = 1'b0;
    // ticks as long as they can be, so that the times of bench and block are the same
    write(golden_address("sack_prescale"), TICK_SHIFT);
    write(golden_address("wire_prescale"), TICK_SHIFT);
    while (golden.mismatches == 0 && $fscanf(script, "%s", word) == 1)
      case (word)
        "write": begin
          void'($fscanf(script, "%d %d", address, value));
          write(address, value);
        end
        "tx", "rx": begin
          void'($fscanf(script, "%s", hex));
          send(word == "tx", bytes_of(hex));
          frames++;
        end
        "advance", "read": void'($fscanf(script, "%d", value));
        default: ;
      endcase
    golden.ends();
    $display("%0d frames, %0d answers are right, %0d are not", frames, golden.checked, golden.mismatches);
    if (golden.mismatches != 0) $fatal(1, "the block differs from its golden model");
    $finish;
  end

  function automatic int unsigned golden_address(string name);
    int unsigned address;
    golden.must(respray_address(golden.model, name, address));
    return address;
  endfunction
endmodule
