// The rules of AXI4-Lite for formal runs, read with `read_verilog -formal`: `synth/tests/all/nic_formal/` puts an instance of it into
// the module of the bus of `nic_registers`. That one shows its state, too, because no proof for all time gets by without it.
module axi_lite_rules (
    input wire        clk,
    input wire        rst,
    input wire        awvalid,
    input wire        awready,
    input wire [11:0] awaddr,
    input wire        wvalid,
    input wire        wready,
    input wire [31:0] wdata,
    input wire [3:0]  wstrb,
    input wire        bvalid,
    input wire        bready,
    input wire        arvalid,
    input wire        arready,
    input wire [11:0] araddr,
    input wire        rvalid,
    input wire        rready,
    input wire [31:0] rdata,
    input wire [1:0]  resp,
    // The bus holds address and data of a write, does an access, and that is a write.
    input wire        has_address,
    input wire        has_value,
    input wire        is_active,
    input wire        is_write
);
    wire is_begun;
    proof_begin proof_begin (.clk(clk), .rst(rst), .is_begun(is_begun));

    // What each channel has transferred and was not answered yet.
    reg [1:0] addresses;
    reg [1:0] values;
    reg [1:0] reads;

    wire ends_write = bvalid && bready;
    wire ends_read = rvalid && rready;

    always @(posedge clk) begin
        addresses <= addresses + {1'b0, awvalid && awready} - {1'b0, ends_write};
        values <= values + {1'b0, wvalid && wready} - {1'b0, ends_write};
        reads <= reads + {1'b0, arvalid && arready} - {1'b0, ends_read};
        if (rst) begin
            addresses <= 2'd0;
            values <= 2'd0;
            reads <= 2'd0;
        end
    end

    // The manager keeps what it offers.
    wire aw_is_held;
    wire w_is_held;
    wire ar_is_held;
    stream_rules #(.BITS(12)) aw_rules (
        .clk(clk), .rst(rst), .valid(awvalid), .ready(awready), .payload(awaddr), .is_held(aw_is_held)
    );
    stream_rules #(.BITS(36)) w_rules (
        .clk(clk), .rst(rst), .valid(wvalid), .ready(wready), .payload({wstrb, wdata}), .is_held(w_is_held)
    );
    stream_rules #(.BITS(12)) ar_rules (
        .clk(clk), .rst(rst), .valid(arvalid), .ready(arready), .payload(araddr), .is_held(ar_is_held)
    );
    always @* assume (aw_is_held && w_is_held && ar_is_held);

    // So does the subordinate.
    wire b_is_held;
    wire r_is_held;
    stream_rules #(.BITS(2)) b_rules (
        .clk(clk), .rst(rst), .valid(bvalid), .ready(bready), .payload(resp), .is_held(b_is_held)
    );
    stream_rules #(.BITS(34)) r_rules (
        .clk(clk), .rst(rst), .valid(rvalid), .ready(rready), .payload({resp, rdata}), .is_held(r_is_held)
    );
    always @* assert (!is_begun || (b_is_held));
    always @* assert (!is_begun || (r_is_held));

    // No answer without an access.
    always @* assert (!is_begun || (!bvalid || (addresses != 2'd0 && values != 2'd0)));
    always @* assert (!is_begun || (!rvalid || reads != 2'd0));
    // One answer for each: what was transferred is held, is being done, or is being answered, and is nowhere twice.
    always @* assert (!is_begun || (addresses == {1'b0, has_address} + {1'b0, bvalid}));
    always @* assert (!is_begun || (values == {1'b0, has_value} + {1'b0, bvalid}));
    always @* assert (!is_begun || (reads == {1'b0, is_active && !is_write && !arready} + {1'b0, rvalid}));
    always @* assert (!is_begun || (!(bvalid && rvalid)));
    always @* assert (!is_begun || (!is_active || (!bvalid && !rvalid)));
    always @* assert (!is_begun || (!(is_active && is_write) || (has_address && has_value)));
    always @* assert (!is_begun || (!arready || (arvalid && is_active && !is_write)));
    // The register `has_...` is only refilled when it is empty.
    always @* assert (!is_begun || (!(awready && has_address) && !(wready && has_value)));
    // OKAY or SLVERR; what is refused gives nothing.
    always @* assert (!is_begun || (resp == 2'd0 || resp == 2'd2));
    always @* assert (!is_begun || (!(rvalid && resp == 2'd2) || rdata == 32'd0));
endmodule
