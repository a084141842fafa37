// Frames into the Verilog of `rewrite_rx`, and a scoreboard that compares frames and records that come out: the example of
// a bench for a core that packets stream through.
//
//   +script=FILE    a frame in each line that begins with `tx` or `rx`, in hexadecimal; other lines are passed over

// A bench is a program: it assigns at once what it then waits with.
// verilator lint_off BLKSEQ
module rewrite_rx_bench;
  import respray_golden_pkg::*;

  localparam int BYTES = 64;
  localparam int RECORD_WORDS = 22;

  logic clk = 1'b0;
  logic rst = 1'b1;
  logic [8*BYTES-1:0] s_axis_tdata = '0, m_axis_tdata;
  logic [BYTES-1:0] s_axis_tkeep = '0, m_axis_tkeep;
  logic s_axis_tvalid = 1'b0, s_axis_tlast = 1'b0, s_axis_tuser = 1'b0, s_axis_tready;
  logic m_axis_tvalid, m_axis_tlast, m_axis_tuser, m_axis_tready = 1'b0;
  logic [15:0] udp_port = 16'd4791;
  logic meta_valid, meta_ready = 1'b0;
  logic [1:0] meta_kind, meta_ecn, ack_flags;
  logic [2:0] meta_error;
  logic [23:0] meta_conn;
  logic [31:0] meta_psn, ack_bytes, ack_epsn, ack_base;
  logic [15:0] meta_bytes, meta_ev, meta_timestamp, meta_source_pdc, ack_ev, ack_timestamp, ack_offset, ack_ooo;
  logic meta_ack_request, meta_retransmit, ack_ecn, ack_probe;
  logic [63:0] ack_bitmap;
  logic pkt_data, pkt_ack, pkt_probe, pkt_other, pkt_malformed;

  rewrite_rx dut (.*);

  always #1 clk = !clk;

  // Who takes from the core pauses at random.
  always @(negedge clk) begin
    m_axis_tready = $urandom_range(3) != 0;
    meta_ready = $urandom_range(3) != 0;
  end

  stream_scoreboard golden;
  initial golden = new("rewrite_rx");

  frame_t leaving;
  always @(posedge clk) if (!rst) begin
    row_t seen;
    if (m_axis_tvalid && m_axis_tready) begin
      for (int at = 0; at < BYTES; at++) if (m_axis_tkeep[at]) leaving.push_back(m_axis_tdata[8*at+:8]);
      if (m_axis_tlast) begin
        golden.saw(leaving);
        leaving.delete();
      end
    end
    if (meta_valid && meta_ready) begin
      seen[0] = 64'(meta_kind);
      seen[1] = 64'(meta_error);
      seen[2] = 64'(meta_conn);
      seen[3] = 64'(meta_psn);
      seen[4] = 64'(meta_bytes);
      seen[5] = 64'(meta_ecn);
      seen[6] = 64'(meta_ev);
      seen[7] = 64'(meta_timestamp);
      seen[8] = 64'(meta_ack_request);
      seen[9] = 64'(meta_source_pdc);
      seen[10] = 64'(meta_retransmit);
      seen[11] = 64'(ack_ecn);
      seen[12] = 64'(ack_probe);
      seen[13] = 64'(ack_flags);
      seen[14] = 64'(ack_ev);
      seen[15] = 64'(ack_timestamp);
      seen[16] = 64'(ack_bytes);
      seen[17] = 64'(ack_epsn);
      seen[18] = 64'(ack_offset);
      seen[19] = 64'(ack_ooo);
      seen[20] = 64'(ack_base);
      seen[21] = ack_bitmap;
      golden.recorded(seen, RECORD_WORDS);
    end
  end

  task automatic send(frame_t frame);
    row_t nothing;
    for (int first = 0; first < frame.size(); first += BYTES) begin
      bit taken = 1'b0;
      s_axis_tdata = '0;
      s_axis_tkeep = '0;
      for (int at = first; at < first + BYTES && at < frame.size(); at++) begin
        s_axis_tdata[8*(at-first)+:8] = frame[at];
        s_axis_tkeep[at-first] = 1'b1;
      end
      s_axis_tlast = first + BYTES >= frame.size();
      while ($urandom_range(3) == 0) @(negedge clk);
      s_axis_tvalid = 1'b1;
      while (!taken) begin
        @(posedge clk);
        taken = s_axis_tready;
        // the model hears of a frame before any of it can leave the core
        if (taken && first == 0) golden.took(frame, nothing);
        @(negedge clk);
      end
      s_axis_tvalid = 1'b0;
    end
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
    int unsigned frames;
    int script;
    if (!$value$plusargs("script=%s", path)) $fatal(1, "+script=FILE is missing");
    script = $fopen(path, "r");
    if (script == 0) $fatal(1, "%s cannot be read", path);
    repeat (2) @(negedge clk);
    rst = 1'b0;
    while ($fscanf(script, "%s", word) == 1)
      if (word == "tx" || word == "rx") begin
        void'($fscanf(script, "%s", hex));
        send(bytes_of(hex));
        frames++;
      end
    repeat (200) @(negedge clk);
    golden.ends(1'b1);
    $display("%0d frames, %0d answers are right, %0d are not", frames, golden.checked, golden.mismatches);
    if (golden.mismatches != 0) $fatal(1, "the core differs from its golden model");
    $finish;
  end
endmodule
