// The golden models of respray for SystemVerilog: the C interface by DPI-C, and a scoreboard for each kind of core.
//
// A bench tells a scoreboard what it gave to the core, in order, and what it saw, in order. The scoreboard compares with
// what the golden model makes of it. docs/models.md has an example, and says how a scoreboard of UVM calls one.
// verilator lint_off DECLFILENAME
package respray_golden_pkg;

  // Words that a row may have; the rest of a row is not looked at.
  localparam int MAX_WORDS = 64;
  typedef longint unsigned row_t[MAX_WORDS];
  typedef byte unsigned frame_t[$];

  // Codes, and rows of inputs and outputs: respray_golden.h says what they are.
  localparam int OK = 0;
  localparam int EMPTY = 8;
  localparam int FULL = 9;
  localparam int ROWS_IN = 0;
  localparam int ROWS_OUT = 1;

  import "DPI-C" function string respray_version();
  import "DPI-C" function string respray_error();
  import "DPI-C" function int respray_open(input string core, input string settings, output longint unsigned model);
  import "DPI-C" function int respray_close(input longint unsigned model);
  import "DPI-C" function string respray_describe(input longint unsigned model);
  import "DPI-C" function int respray_words(input longint unsigned model, input int rows, input int unsigned lane, output int unsigned words);
  import "DPI-C" function int respray_place(input longint unsigned model, input int rows, input int unsigned lane, input string name, output int unsigned at);
  import "DPI-C" function int respray_pulses(input longint unsigned model, output longint unsigned pulses);
  import "DPI-C" function int respray_reset(input longint unsigned model, input int unsigned seed);
  import "DPI-C" function int respray_apply(input longint unsigned model, input longint unsigned count, input longint unsigned ops[MAX_WORDS],
      input longint unsigned op_words, output longint unsigned results[MAX_WORDS], input longint unsigned result_words);
  import "DPI-C" function int respray_load(input longint unsigned model, input string path, output longint unsigned count, output int unsigned seed);
  import "DPI-C" function int respray_draw(input longint unsigned model, input longint unsigned seed, input longint unsigned count);
  import "DPI-C" function int respray_loaded(input longint unsigned model, input longint unsigned first, input longint unsigned count,
      output longint unsigned loaded[MAX_WORDS], input longint unsigned row_words);
  import "DPI-C" function int respray_set(input longint unsigned model, input string name, input longint unsigned value);
  import "DPI-C" function int respray_address(input longint unsigned model, input string name, output int unsigned address);
  import "DPI-C" function int respray_read(input longint unsigned model, input int unsigned address, output int unsigned value);
  import "DPI-C" function int respray_write(input longint unsigned model, input int unsigned address, input int unsigned value);
  import "DPI-C" function int respray_advance(input longint unsigned model, input longint unsigned cycles);
  import "DPI-C" function int respray_due(input longint unsigned model, input int unsigned lane, output longint unsigned due);
  import "DPI-C" function int respray_stage(input longint unsigned word, input int unsigned bytes);
  import "DPI-C" function int respray_push_staged(input longint unsigned model, input int unsigned lane, input longint unsigned beside[MAX_WORDS],
      input longint unsigned words);
  import "DPI-C" function int respray_pop_staged(input longint unsigned model, input int unsigned lane, output longint unsigned bytes,
      output longint unsigned beside[MAX_WORDS], input longint unsigned words);
  import "DPI-C" function longint unsigned respray_staged(input longint unsigned at);

  // A model, and what every scoreboard has: the count of what was right, and of what was wrong.
  class golden_model;
    longint unsigned model;
    string name;
    int unsigned checked = 0;
    int unsigned mismatches = 0;

    // Opens the model of a core in a configuration, as TOML; an empty text is the default one.
    function new(string core, string settings = "");
      name = core;
      must(respray_open(core, settings, model));
    endfunction

    function void close();
      must(respray_close(model));
    endfunction

    // A call that has to succeed.
    function void must(int code);
      if (code != OK) $fatal(1, "%s: %s (code %0d)", name, respray_error(), code);
    endfunction

    function int unsigned words(int rows, int unsigned lane = 0);
      int unsigned found;
      must(respray_words(model, rows, lane, found));
      return found;
    endfunction

    // Place of a word in a row.
    function int unsigned place(int rows, string word, int unsigned lane = 0);
      int unsigned at;
      must(respray_place(model, rows, lane, word, at));
      return at;
    endfunction

    function void right();
      checked++;
    endfunction

    function void wrong(string what);
      mismatches++;
      $display("%s: mismatch %0d at %0t: %s", name, mismatches, $time, what);
    endfunction

    // Rows with a frame, as the model takes and gives them; an op and its result have an empty one.
    function int push(int unsigned lane, const ref frame_t frame, input row_t beside);
      for (int at = 0; at < frame.size(); at += 8) begin
        longint unsigned word = 0;
        int unsigned bytes = frame.size() - at < 8 ? frame.size() - at : 8;
        for (int unsigned i = 0; i < bytes; i++) word |= 64'(frame[at + i]) << (8 * i);
        must(respray_stage(word, bytes));
      end
      return respray_push_staged(model, lane, beside, 64'(words(ROWS_IN, lane)));
    endfunction

    // The next frame of an output with the row beside it; EMPTY if there is none.
    function int pop(int unsigned lane, output frame_t frame, output row_t beside);
      longint unsigned bytes;
      int code = respray_pop_staged(model, lane, bytes, beside, 64'(words(ROWS_OUT, lane)));
      frame.delete();  // a queue is kept by Verilator 5.006 from one call to the next
      if (code == EMPTY) return code;
      must(code);
      for (longint unsigned at = 0; at < bytes; at += 8) begin
        longint unsigned word = respray_staged(at);
        for (longint unsigned i = at; i < at + 8 && i < bytes; i++) frame.push_back(8'(word >> (8 * (i - at))));
      end
      return OK;
    endfunction

    // So many frames, records, events or results are due at an output.
    function longint unsigned due(int unsigned lane);
      longint unsigned count;
      must(respray_due(model, lane, count));
      return count;
    endfunction

    // An output showed a frame and the row beside it. Words of the row from `first` on are compared, so many of them: the bench does not see
    // the others.
    function void showed(int unsigned lane, const ref frame_t frame, input row_t beside, input int unsigned first, input int unsigned count);
      frame_t wanted;
      row_t wanted_beside;
      if (pop(lane, wanted, wanted_beside) == EMPTY) begin
        wrong($sformatf("output %0d shows something, and nothing is due", lane));
        return;
      end
      if (frame.size() != wanted.size()) begin
        wrong($sformatf("output %0d: the frame has %0d bytes, not %0d", lane, frame.size(), wanted.size()));
        return;
      end
      for (int at = 0; at < frame.size(); at++)
        if (frame[at] != wanted[at]) begin
          wrong($sformatf("output %0d: byte %0d of the frame is %0h, not %0h", lane, at, frame[at], wanted[at]));
          return;
        end
      for (int unsigned at = first; at < first + count; at++)
        if (beside[at] != wanted_beside[at]) begin
          wrong($sformatf("output %0d: word %0d is %0h, not %0h", lane, at, beside[at], wanted_beside[at]));
          return;
        end
      right();
    endfunction

    // Nothing may be due any more at so many outputs.
    function void ends_at(int unsigned lanes);
      for (int unsigned lane = 0; lane < lanes; lane++)
        if (due(lane) != 0) wrong($sformatf("output %0d: %0d are due, and did not come", lane, due(lane)));
    endfunction
  endclass

  // A core that takes ops. What it shows of an op comes in the order of the ops.
  class op_scoreboard extends golden_model;
    longint unsigned pulses;

    function new(string core, string settings = "", int unsigned seed = 1);
      super.new(core, settings);
      must(respray_pulses(model, pulses));
      must(respray_reset(model, seed));
    endfunction

    // The core took an op.
    function void took(input row_t op);
      frame_t nothing;
      must(push(0, nothing, op));
    endfunction

    // The core visited a connection by itself: word 1 of the row that stood at its inputs.
    function void visited(input row_t inputs);
      frame_t nothing;
      must(push(1, nothing, inputs));
    endfunction

    // The outputs of a clock cycle, from word 1 of a row on; word 0 is not looked at. A cycle in which nothing is shown may be told or not.
    function void saw(input row_t seen);
      frame_t nothing;
      row_t wanted;
      bit shows = 0;
      for (int at = 0; at < MAX_WORDS - 1; at++) shows |= pulses[at] && seen[at + 1] != 0;
      if (!shows) return;
      if (pop(0, nothing, wanted) == EMPTY) begin
        wrong("the core shows something, and nothing is due");
        return;
      end
      // word 0 says what the core promises
      for (int at = 0; at < MAX_WORDS - 1; at++)
        if (wanted[0][at] && wanted[at + 1] != seen[at + 1]) begin
          wrong($sformatf("word %0d of the result is %0h, not %0h", at + 1, seen[at + 1], wanted[at + 1]));
          return;
        end
      right();
    endfunction

    // Nothing may be due any more.
    function void ends();
      ends_at(1);
    endfunction
  endclass

  // A core that packets stream through: each frame that goes in has a frame that comes out, and in some cores a record.
  class stream_scoreboard extends golden_model;
    function new(string core, string settings = "");
      super.new(core, settings);
    endfunction

    // A frame went in, with these words at the inputs that are sampled with it.
    function void took(const ref frame_t frame, input row_t beside);
      must(push(0, frame, beside));
    endfunction

    // A frame came out.
    function void saw(const ref frame_t frame);
      row_t nothing;
      showed(0, frame, nothing, 0, 0);
    endfunction

    // A record was taken, with so many words.
    function void recorded(input row_t seen, input int unsigned count);
      frame_t nothing;
      showed(1, nothing, seen, 0, count);
    endfunction

    // Nothing may be due any more.
    function void ends(bit has_records);
      ends_at(has_records ? 2 : 1);
    endfunction
  endclass

  // The block that joins the cores. It is given one thing at a time: the bench waits until `is_done`, so that the order of
  // what happens inside is known. Times are those of the bench: a tick of the wire may not pass in between.
  class nic_scoreboard extends golden_model;
    function new(string settings = "");
      super.new("nic", settings);
    endfunction

    // The clock cycle of what is told next, counted from the reset on.
    function void now(longint unsigned cycle);
      must(respray_advance(model, cycle));
    endfunction

    // A frame went in at `tx_in` (0), with its `tuser`, or at `rx_in` (1), where `tuser` says that the MAC found it bad.
    function void took(int unsigned lane, const ref frame_t frame, input bit tuser);
      row_t beside;
      beside[0] = 64'(tuser);
      must(push(lane, frame, beside));
    endfunction

    // A register was written, and the write was answered by `refused`.
    function void wrote(int unsigned address, int unsigned value, bit refused);
      int code = respray_write(model, address, value);
      if ((code != OK) != refused) wrong($sformatf("the write of %0h to %0h was answered by %0d", value, address, refused));
      else right();
    endfunction

    // A register was read, with this answer.
    function void got(int unsigned address, int unsigned value);
      int unsigned wanted;
      must(respray_read(model, address, wanted));
      if (value != wanted) wrong($sformatf("the register at %0h is %0h, not %0h", address, value, wanted));
      else right();
    endfunction

    // A frame came out at `tx_out` (0) or `rx_out` (1), or an event (2), with so many words beside it.
    function void saw(int unsigned lane, const ref frame_t frame, input row_t beside, input int unsigned count);
      showed(lane, frame, beside, 0, count);
    endfunction

    // All that is due has come.
    function bit is_done();
      return due(0) == 0 && due(1) == 0 && due(2) == 0;
    endfunction

    // Nothing may be due any more.
    function void ends();
      ends_at(3);
    endfunction
  endclass
endpackage
