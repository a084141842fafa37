// A shell around one wrapper: clocks, a manager at the registers, frames from host and MAC, and all that comes out as lines of text.
`timescale 1ps/1ps

module bench;
    // Beats as they are given: gap before the beat, tlast, what stands beside, tkeep, tdata.
    reg [31+1+128+64+512:0] host_beats [0:32767];
    reg [31+1+128+64+512:0] mac_beats [0:32767];
    integer host_count = 0, mac_count = 0;
    integer host_given = 0, mac_given = 0;

    reg axil_clk = 1'b0, clk = 1'b0, rstn = 1'b0, clk_runs = CLOCK_RUNS;
    always #AXIL_HALF axil_clk = ~axil_clk;
    always #STREAM_HALF if (clk_runs) clk = ~clk;
    integer cycle = 0, axil_cycle = 0;
    always @(posedge clk) cycle <= cycle + 1;
    always @(posedge axil_clk) axil_cycle <= axil_cycle + 1;
    wire rst = !rstn;
    wire rst_done;
    // From the end of the first reset on all that comes out counts: a later reset of the user block does not reset the shell.
    reg is_up = 1'b0;
    always @(posedge clk) if (rst_done === 1'b1) is_up <= 1'b1;

    // As the shell resets a user block: low for some edges of axil_clk, in the middle of whatever goes on.
    task user_reset(input integer edges);
        begin
            @(negedge axil_clk); rstn = 0;
            repeat (edges) @(negedge axil_clk);
            rstn = 1;
        end
    endtask
    task reset_done;
        begin
            @(negedge axil_clk); while (!rst_done) @(negedge axil_clk);
        end
    endtask

    // Registers.
    reg [31:0] awaddr = 0, wdata = 0, araddr = 0;
    reg awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
    wire awready, wready, bvalid, arready, rvalid;
    wire [1:0] bresp, rresp;
    wire [31:0] rdata;

    // Of each answer: what it was, and how many edges of axil_clk it took.
    integer asked_at = 0;
    task write(input [31:0] address, input [31:0] value);
        begin
            @(negedge axil_clk); asked_at = axil_cycle;
            awaddr = address; wdata = value; awvalid = 1; wvalid = 1; bready = 1;
            fork
                begin : address_channel
                    @(posedge axil_clk); while (!awready) @(posedge axil_clk);
                    @(negedge axil_clk); awvalid = 0;
                end
                begin : data_channel
                    @(posedge axil_clk); while (!wready) @(posedge axil_clk);
                    @(negedge axil_clk); wvalid = 0;
                end
                begin : response_channel
                    @(posedge axil_clk); while (!bvalid) @(posedge axil_clk);
                    $display("write %h %0d %0d", address, bresp, axil_cycle - asked_at);
                    @(negedge axil_clk); bready = 0;
                end
            join
        end
    endtask

    task read(input [31:0] address);
        begin
            @(negedge axil_clk); asked_at = axil_cycle;
            araddr = address; arvalid = 1; rready = 1;
            fork
                begin : address_channel
                    @(posedge axil_clk); while (!arready) @(posedge axil_clk);
                    @(negedge axil_clk); arvalid = 0;
                end
                begin : data_channel
                    @(posedge axil_clk); while (!rvalid) @(posedge axil_clk);
                    $display("read %h %h %0d %0d", address, rdata, rresp, axil_cycle - asked_at);
                    @(negedge axil_clk); rready = 0;
                end
            join
        end
    endtask

    // A stream into the wrapper: beats up to `count` are given, a gap before each as it says.
    wire [31:0] host_gap, mac_gap;
    wire [127:0] host_side, mac_side;
    wire [63:0] host_tkeep, mac_tkeep;
    wire [511:0] host_tdata, mac_tdata;
    wire host_tlast, mac_tlast, host_tready, mac_tready;
    reg host_tvalid = 0, mac_tvalid = 0;
    integer host_waits = 0, mac_waits = 0;
    assign {host_gap, host_tlast, host_side, host_tkeep, host_tdata} = host_beats[host_given];
    assign {mac_gap, mac_tlast, mac_side, mac_tkeep, mac_tdata} = mac_beats[mac_given];
    always @(negedge clk) begin
        if (host_given < host_count) begin
            if (host_waits < host_gap) host_waits = host_waits + 1; else host_tvalid = 1;
        end
        if (mac_given < mac_count) begin
            if (mac_waits < mac_gap) mac_waits = mac_waits + 1; else mac_tvalid = 1;
        end
    end
    reg host_taken, mac_taken, host_first = 1, mac_first = 1;
    always @(posedge clk) begin
        host_taken = host_tvalid && host_tready;
        mac_taken = mac_tvalid && mac_tready;
        #1;
        if (host_taken && host_first) $display("given host %0d", cycle);
        if (mac_taken && mac_first) $display("given mac %0d", cycle);
        if (host_taken) host_first = host_tlast;
        if (mac_taken) mac_first = mac_tlast;
        if (host_taken) begin host_tvalid = 0; host_waits = 0; host_given = host_given + 1; end
        if (mac_taken) begin mac_tvalid = 0; mac_waits = 0; mac_given = mac_given + 1; end
    end

    // Streams out of the wrapper: each beat that is taken becomes a line, and what is offered must stay until it is taken.
    integer stalls = 0;
    reg adapter_pauses = 1'b0;
    reg to_mac_tready = 0, to_host_tready = 0, cpl_ready = 0;
    wire to_mac_tvalid, to_mac_tlast, to_host_tvalid, to_host_tlast, cpl_valid;
    wire [511:0] to_mac_tdata, to_host_tdata;
    wire [63:0] to_mac_tkeep, to_host_tkeep;
    wire [127:0] to_mac_side, to_host_side, cpl_side;
    reg [705:0] mac_offer = 0, host_offer = 0;
    reg [128:0] cpl_offer = 0;
    // The receiver of the host takes what it is offered, unless it has stopped for good.
    wire stops;
    wire to_host_takes = to_host_tready && !stops;
    always @(negedge clk) begin
        to_mac_tready = ($random & 7) >= stalls;
        to_host_tready = HOST_WAITS ? ($random & 7) >= stalls : 1'b1;
        cpl_ready = ($random & 7) >= stalls;
    end
    always @(posedge clk) if (is_up) begin
        if (to_mac_tvalid && to_mac_tready)
            $display("to_mac %h %h %b %h %0d", to_mac_tdata, to_mac_tkeep, to_mac_tlast, to_mac_side, cycle);
        if (to_host_tvalid && to_host_takes)
            $display("to_host %h %h %b %h %0d", to_host_tdata, to_host_tkeep, to_host_tlast, to_host_side, cycle);
        if (cpl_valid && cpl_ready) $display("completion %h", cpl_side);
        if (mac_offer[705] && mac_offer != {to_mac_tvalid, to_mac_tlast, to_mac_side, to_mac_tkeep, to_mac_tdata})
            $display("broken: an offer to the MAC changed");
        if (host_offer[705] && host_offer != {to_host_tvalid, to_host_tlast, to_host_side, to_host_tkeep, to_host_tdata})
            $display("broken: an offer to the host changed");
        if (cpl_offer[128] && cpl_offer != {cpl_valid, cpl_side}) $display("broken: a completion changed");
        mac_offer <= to_mac_tvalid && !to_mac_tready ? {to_mac_tvalid, to_mac_tlast, to_mac_side, to_mac_tkeep, to_mac_tdata} : 706'd0;
        host_offer <= to_host_tvalid && !to_host_takes ? {to_host_tvalid, to_host_tlast, to_host_side, to_host_tkeep, to_host_tdata} : 706'd0;
        cpl_offer <= cpl_valid && !cpl_ready ? {cpl_valid, cpl_side} : 129'd0;
    end

    DEVICE

    initial begin
        $readmemh("host.hex", host_beats);
        $readmemh("mac.hex", mac_beats);
        repeat (8) @(posedge axil_clk);
        rstn = 1;
        reset_done;
        if (clk_runs) repeat (200) @(posedge clk);
        SCRIPT
        $display("end %0d %0d", host_given, mac_given);
        $finish;
    end
    initial begin
        #LIMIT_PS $display("broken: it takes too long");
        $finish;
    end
endmodule
