// Replays ops, or the script of a run of `nic`, through the package, and prints what comes of it, as golden/c/tests/replay.c does.
//
//   +ops=CORE +seed=N +count=N    the count, and a hash of all words of all results
//   +nic=SCRIPT                   the answer to each line of the script
module replay;
  import respray_golden_pkg::*;

  // Nothing of it compares: it only gives what the model has.
  task automatic ops(string core, longint unsigned seed, longint unsigned count);
    golden_model golden = new(core, "connections = 16");
    int unsigned op_words = golden.words(ROWS_IN);
    int unsigned result_words = golden.words(ROWS_OUT);
    longint unsigned hash = 0;
    golden.must(respray_draw(golden.model, seed, count));
    for (longint unsigned at = 0; at < count; at++) begin
      row_t drawn, op, result;
      golden.must(respray_loaded(golden.model, at, 1, drawn, 64'(op_words) + 1));
      for (int word = 0; word < MAX_WORDS - 1; word++) op[word] = drawn[word + 1];
      golden.must(respray_apply(golden.model, 1, op, 64'(op_words), result, 64'(result_words)));
      for (int unsigned word = 0; word < result_words; word++) hash = (hash ^ result[word]) * 64'h100000001b3;
    end
    $display("%s %0d %016x", core, count, hash);
    golden.close();
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

  function automatic void put(golden_model golden, int unsigned lane, string name, string hex);
    row_t nothing;
    frame_t frame = bytes_of(hex);
    int code = golden.push(lane, frame, nothing);
    if (code != FULL) golden.must(code);
    $display("%s %0d", name, code == OK);
  endfunction

  function automatic void taken(golden_model golden, int unsigned lane, string name);
    frame_t frame;
    row_t beside;
    if (golden.pop(lane, frame, beside) == EMPTY) begin
      $display("%s -", name);
      return;
    end
    $write("%s ", name);
    for (int at = 0; at < frame.size(); at++) $write("%02x", frame[at]);
    for (int unsigned at = 0; at < golden.words(ROWS_OUT, lane); at++) $write(" %0d", beside[at]);
    $write("\n");
  endfunction

  task automatic nic(string path);
    golden_model golden = new("nic", "connections = 16");
    string word, hex;
    longint unsigned cycles;
    int unsigned address, value;
    int script;
    script = $fopen(path, "r");
    if (script == 0) $fatal(1, "%s cannot be read", path);
    while ($fscanf(script, "%s", word) == 1) begin
      case (word)
        "advance": begin
          void'($fscanf(script, "%d", cycles));
          golden.must(respray_advance(golden.model, cycles));
        end
        "write": begin
          void'($fscanf(script, "%d %d", address, value));
          golden.must(respray_write(golden.model, address, value));
        end
        "read": begin
          void'($fscanf(script, "%d", address));
          golden.must(respray_read(golden.model, address, value));
          $display("read %0d", value);
        end
        "tx", "rx": begin
          void'($fscanf(script, "%s", hex));
          put(golden, word == "tx" ? 0 : 1, word, hex);
        end
        "tx_out": taken(golden, 0, word);
        "rx_out": taken(golden, 1, word);
        default:  taken(golden, 2, word);
      endcase
    end
    $fclose(script);
    golden.close();
  endtask

  initial begin
    string name;
    longint unsigned seed, count;
    if ($value$plusargs("ops=%s", name)) begin
      if (!$value$plusargs("seed=%d", seed)) seed = 1;
      if (!$value$plusargs("count=%d", count)) count = 1000;
      ops(name, seed, count);
    end
    if ($value$plusargs("nic=%s", name)) nic(name);
    $finish;
  end
endmodule
