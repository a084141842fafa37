//! What an op finds of its connection in a pipeline that takes an op a cycle.

/// Where the state of a connection stands in the module of a pipeline: the names of its fields, the lowest bits of its word in the
/// memory first, as an op finds them, and as they are written back.
pub struct Places {
    pub before: &'static [&'static str],
    pub written: &'static [&'static str],
    /// The port that says whose state an op is of.
    pub connection: &'static str,
    /// The control RAM is cleared.
    pub ready: &'static str,
    /// Op `init` starts from a connection without a past; else the engine sees to that itself.
    pub is_cleared_by_init: bool,
}

/// The rule `forwarded`, and what it needs: names for one connection that the rules behind it use, too. `one` is any connection,
/// `updates_one` an op of it in the update stage, `current` its state after all ops before that one. The wire `stored` is that of the
/// watched word.
pub fn forwarding(places: &Places) -> String {
    let joined = |names: &[&str]| names.iter().rev().copied().collect::<Vec<_>>().join(", ");
    let inits = "    reg [2:0] inits;
    always @(posedge clk) inits <= {inits[1:0], op_kind == 3'd4};
    wire is_init = inits[2];
";
    let (inits, found) = match places.is_cleared_by_init {
        true => (inits, "is_init ? {$bits(written){1'b0}} : current"),
        false => ("", "current"),
    };
    format!(
        "    // One connection, whichever: what is shown of it is shown of all.
    (* anyconst *) reg [$bits({connection})-1:0] one;
    reg is_begun;
    initial is_begun = 1'b0;
    always @(posedge clk) is_begun <= 1'b1;
    always @* assume (is_begun || rst);

    // The word of the connection in the control RAM, and the same after the op in the write stage.
    wire [$bits({{{written}}})-1:0] written = {{{written}}};
    wire writes_one = ops_write_live && ops_write_conn == one;
    wire [$bits(written)-1:0] stored;
    wire [$bits(written)-1:0] current = writes_one ? written : stored;

    // What an op finds is what the op before it left, whatever stands between them.
{inits}    wire updates_one = ops_update_valid && ops_update_conn == one;
    wire [$bits(written)-1:0] found = {found};
    always @* if (is_begun && {ready}) forwarded: assert (!updates_one || {{{before}}} == found);

    // While the control RAM is cleared nothing is on its way.
    always @* if (is_begun && !{ready}) begin
        lemma_idle: assert (!ops_read_valid && !ops_forward_valid && !ops_update_valid);
        lemma_cleared: assert (written == {{$bits(written){{1'b0}}}}
            && (ops_write_conn <= one || stored == {{$bits(written){{1'b0}}}}));
    end

",
        written = joined(places.written),
        before = joined(places.before),
        connection = places.connection,
        ready = places.ready,
    )
}
