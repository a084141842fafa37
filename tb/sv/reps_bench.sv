// Random ops into the Verilog of `reps`, and a scoreboard that compares what comes out: the example of a bench for a core
// that takes ops.
//
//   +count=N    so many ops (default: 10000)
//   +seed=N     seed of the ops (default: 1)
// A bench is a program: it assigns at once what it then waits with.
// verilator lint_off BLKSEQ
module reps_bench;
  import respray_golden_pkg::*;

  logic clk = 1'b0;
  logic rst = 1'b1;
  logic op_valid = 1'b0;
  logic op_ready;
  logic [2:0] op_kind = '0;
  logic [7:0] op_conn = '0;
  logic [15:0] op_ev = '0;
  logic op_ecn = 1'b0;
  logic [31:0] now = '0;
  logic [31:0] freeze_timeout = '0;
  logic [7:0] bdp_packets = '0;
  logic [15:0] seed = 16'd1;
  logic res_valid;
  logic [7:0] res_conn;
  logic [1:0] res_kind;
  logic [15:0] res_ev;
  logic ev_cached, ev_dropped, freeze_entered, freeze_left;

  reps dut (.*);

  always #1 clk = !clk;

  op_scoreboard golden;
  initial golden = new("reps");

  // What the core takes, and what it shows, in the order of the words of a row.
  always @(posedge clk) if (!rst) begin
    row_t op, seen;
    if (op_valid && op_ready) begin
      op[0] = 64'(op_kind);
      op[1] = 64'(op_conn);
      op[2] = 64'(op_ev);
      op[3] = 64'(op_ecn);
      op[4] = 64'(now);
      op[5] = 64'(freeze_timeout);
      op[6] = 64'(bdp_packets);
      golden.took(op);
    end
    seen[1] = 64'(res_valid);
    seen[2] = 64'(res_conn);
    seen[3] = 64'(res_kind);
    seen[4] = 64'(res_ev);
    seen[5] = 64'(ev_cached);
    seen[6] = 64'(ev_dropped);
    seen[7] = 64'(freeze_entered);
    seen[8] = 64'(freeze_left);
    golden.saw(seen);
  end

  initial begin
    longint unsigned count, from;
    int unsigned words;
    if (!$value$plusargs("count=%d", count)) count = 10000;
    if (!$value$plusargs("seed=%d", from)) from = 1;
    repeat (2) @(negedge clk);
    rst = 1'b0;
    golden.must(respray_draw(golden.model, from, count));
    words = golden.words(ROWS_IN) + 1;
    for (longint unsigned at = 0; at < count; at++) begin
      row_t drawn;
      golden.must(respray_loaded(golden.model, at, 1, drawn, 64'(words)));
      {op_kind, op_conn, op_ev, op_ecn} = {3'(drawn[1]), 8'(drawn[2]), 16'(drawn[3]), 1'(drawn[4])};
      {now, freeze_timeout, bdp_packets} = {32'(drawn[5]), 32'(drawn[6]), 8'(drawn[7])};
      op_valid = 1'b0;
      while ($urandom_range(3) == 0) @(negedge clk);
      op_valid = 1'b1;
      do @(posedge clk); while (!op_ready);
      @(negedge clk);
    end
    op_valid = 1'b0;
    repeat (20) @(negedge clk);
    golden.ends();
    $display("%s: %0d results are right, %0d are not", golden.name, golden.checked, golden.mismatches);
    if (golden.mismatches != 0) $fatal(1, "the core differs from its golden model");
    $finish;
  end
endmodule
