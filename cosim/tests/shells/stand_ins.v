// What stands in for the parts of a shell around a wrapper, as the shells' documents and sources describe them. Each says what a user
// block does wrong; none of them is reset with the user block.

// The bytes of the last beat of a frame of this size.
`define LAST_KEEP(size) (64'hffffffffffffffff >> ((64 - ((size) & 63)) & 63))

// QDMA's receive side (OpenNIC shell, qdma_subsystem_c2h): the length that stands beside the beats must be that of the frame. At one that
// is not it stops for good.
module stand_in_qdma_c2h (
    input  wire        clk,
    input  wire        tvalid,
    input  wire        tlast,
    input  wire [63:0] tkeep,
    input  wire [15:0] tuser_size,
    input  wire [15:0] tuser_dst,
    input  wire        tready,
    output reg         stops
);
    reg        inside = 1'b0;
    reg [15:0] size = 16'd0, beats = 16'd0;
    wire [15:0] all = (tuser_size + 16'd63) >> 6;
    initial stops = 1'b0;
    always @(posedge clk) if (tvalid && tready && !stops) begin
        inside <= !tlast;
        size <= tuser_size;
        beats <= tlast ? 16'd0 : beats + 16'd1;
        if (inside && size !== tuser_size) $display("broken: tuser_size changes within a frame to QDMA");
        if (tuser_dst !== 16'h0001) $display("broken: a frame to QDMA is for function %h", tuser_dst);
        if (tlast && (tuser_size === 16'd0 || all !== beats + 16'd1)) begin
            $display("broken: QDMA stops at a frame of %0d beats with tuser_size %0d", beats + 16'd1, tuser_size);
            stops <= 1'b1;
        end else if (tkeep !== (tlast ? `LAST_KEEP(tuser_size) : {64{1'b1}}))
            $display("broken: tkeep of a beat to QDMA is %h", tkeep);
    end
endmodule

// The packet adapter's transmit side (OpenNIC shell, packet_adapter_tx): it makes tkeep of the size, and takes no frame for another port.
module stand_in_adapter_tx (
    input wire        clk,
    input wire        tvalid,
    input wire        tlast,
    input wire [63:0] tkeep,
    input wire [15:0] tuser_size,
    input wire [15:0] tuser_dst,
    input wire        tready
);
    reg        inside = 1'b0;
    reg [15:0] size = 16'd0, beats = 16'd0;
    always @(posedge clk) if (tvalid && tready) begin
        inside <= !tlast;
        size <= tuser_size;
        beats <= tlast ? 16'd0 : beats + 16'd1;
        if (inside && size !== tuser_size) $display("broken: tuser_size changes within a frame to the packet adapter");
        if (!tuser_dst[6]) $display("broken: the packet adapter drops a frame for %h", tuser_dst);
        if (tkeep !== (tlast ? `LAST_KEEP(tuser_size) : {64{1'b1}}))
            $display("broken: tkeep of a beat to the packet adapter is %h, tuser_size %0d", tkeep, tuser_size);
        if (tlast && ((tuser_size + 16'd63) >> 6) !== beats + 16'd1)
            $display("broken: a frame of %0d beats to the packet adapter has tuser_size %0d", beats + 16'd1, tuser_size);
    end
endmodule

// CMAC's transmit side (OpenNIC shell's README, section on the interface at 322 MHz): a frame has no gap.
module stand_in_cmac_tx (
    input wire clk,
    input wire tvalid,
    input wire tlast,
    input wire tuser_err,
    input wire tready
);
    reg inside = 1'b0;
    always @(posedge clk) begin
        if (inside && tvalid !== 1'b1) $display("broken: CMAC finds a gap within a frame");
        if (tvalid && tuser_err !== 1'b0) $display("broken: CMAC gets a frame with an error");
        if (tvalid && tready) inside <= !tlast;
    end
endmodule

// The packet adapter's receive side (OpenNIC shell, packet_adapter_rx): it never waits, and drops a frame that ends with an error. It
// holds frames whole in 64 beats, as many as with the shell's longest frame of 1518 bytes, and drops a frame that does not fit. QDMA
// takes of it at 250 MHz, three beats in four cycles here, unless it pauses.
module stand_in_adapter_rx (
    input wire clk,
    input wire tvalid,
    input wire tlast,
    input wire tuser_err,
    input wire pauses
);
    integer frame = 0, kept = 0, inside = 0, phase = 0;
    reg     cut = 1'b0;
    always @(posedge clk) begin
        if (tvalid && tlast && tuser_err !== 1'b0) $display("broken: the packet adapter drops a frame with an error");
        phase = (phase + 1) & 3;
        if (kept > 0 && phase != 0 && !pauses) kept = kept - 1;
        if (tvalid) begin
            if (kept + inside < 64) inside = inside + 1; else cut = 1'b1;
            if (tlast) begin
                if (cut) $display("lost %0d", frame); else kept = kept + inside;
                frame = frame + 1;
                inside = 0;
                cut = 1'b0;
            end
        end
    end
endmodule

// Corundum's MAC and the tags of its host: each frame that the MAC sends is completed in its turn, some edges later, at a time that tells
// which frame it was. A tag is the host's again when it is completed, and no other is.
module stand_in_corundum (
    input  wire        clk,
    input  wire        is_up,
    input  wire        host_taken,
    input  wire [15:0] host_tag,
    input  wire        mac_tvalid,
    input  wire        mac_tlast,
    input  wire        mac_tready,
    input  wire [15:0] mac_tag,
    output wire        cpl_valid,
    output wire [15:0] cpl_tag,
    output wire [95:0] cpl_ts,
    input  wire        cpl_ready,
    input  wire        done_valid,
    input  wire [15:0] done_tag,
    input  wire        done_ready
);
    reg [15:0] owed [0:32767];
    integer owed_in = 0, owed_out = 0, pause = 0;
    reg host_inside = 1'b0;
    reg mac_inside = 1'b0;
    reg [15:0] tag = 16'd0;
    reg [65535:0] in_flight = 65536'd0;
    assign cpl_valid = owed_out < owed_in && pause == 0;
    assign cpl_tag = owed[owed_out];
    assign cpl_ts = 96'd1000 + owed_out;
    always @(posedge clk) if (is_up) begin
        if (mac_tvalid && mac_tready) begin
            mac_inside <= !mac_tlast;
            tag <= mac_tag;
            if (mac_inside && tag !== mac_tag) $display("broken: the tag changes within a frame to the MAC");
            if (mac_tlast) begin
                owed[owed_in] = mac_tag;
                owed_in <= owed_in + 1;
            end
        end
        if (pause != 0) pause <= pause - 1;
        if (cpl_valid && cpl_ready) begin owed_out <= owed_out + 1; pause <= PAUSE; end
        if (done_valid && done_ready) begin
            if (!in_flight[done_tag]) $display("broken: tag %h is completed and has no frame", done_tag);
            in_flight[done_tag] = 1'b0;
        end
        if (host_taken) begin
            if (in_flight[host_tag]) $display("broken: tag %h is not free", host_tag);
            in_flight[host_tag] = 1'b1;
        end
    end
endmodule
