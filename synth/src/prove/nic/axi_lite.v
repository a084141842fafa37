    // What each channel has transferred and was not answered yet.
    reg [1:0] addresses;
    reg [1:0] values;
    reg [1:0] reads;
    wire answers_write = bvalid && bready;
    wire answers_read = rvalid && rready;
    always @(posedge clk) begin
        addresses <= addresses + {1'b0, awvalid && awready} - {1'b0, answers_write};
        values <= values + {1'b0, wvalid && wready} - {1'b0, answers_write};
        reads <= reads + {1'b0, arvalid && arready} - {1'b0, answers_read};
        if (rst) begin
            addresses <= 2'd0;
            values <= 2'd0;
            reads <= 2'd0;
        end
    end
    always @* if (is_begun) begin
        // What was transferred is held, is being done, or is being answered, and is nowhere twice.
        one_answer: assert (addresses == {1'b0, has_address} + {1'b0, bvalid} && values == {1'b0, has_value} + {1'b0, bvalid}
            && reads == {1'b0, is_active && !is_write && !arready} + {1'b0, rvalid}
            && (!bvalid || (addresses != 2'd0 && values != 2'd0)) && (!rvalid || reads != 2'd0) && !(bvalid && rvalid));
        taken_once: assert (!(awready && has_address) && !(wready && has_value));
        response: assert ((resp == 2'd0 || resp == 2'd2) && (!(rvalid && resp == 2'd2) || rdata == 32'd0));
        lemma_bus: assert ((!is_active || (!bvalid && !rvalid)) && (!(is_active && is_write) || (has_address && has_value))
            && (!arready || (arvalid && is_active && !is_write)));
    end
