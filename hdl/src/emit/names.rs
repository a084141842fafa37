//! Names that every tool takes.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Keywords of Verilog-2005 and SystemVerilog-2017; the tools read a `.v` file as either.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before \
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const \
constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end \
endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive \
endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern final first_match \
for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins \
implements implies import incdir include initial inout input inside instance int integer interconnect interface intersect join \
join_any join_none large let liblist library local localparam logic longint macromodule matches medium modport module nand negedge \
nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive \
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase \
randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always \
s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify \
specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this \
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 \
unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire \
with within wor xnor xor";

/// The keywords one by one: each name of a design is looked up.
static KEYWORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.split_ascii_whitespace().collect());

/// Whether every tool takes `name` as an identifier.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORD_SET.contains(name)
}

/// `lane$3$bus$valid` as one word: `lane_3_bus_valid`.
pub(super) fn joined(path: &str) -> String {
    path.replace('$', "_")
}

/// `base`, or `base_2`, `base_3`, … if it is taken; the name is taken from then on.
pub(super) fn free_name(base: &str, names: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{base}_{n}"));
    let mut candidates = std::iter::once(base.to_string()).chain(numbered);
    let free = candidates.find(|name| is_identifier(name) && !names.contains(name));
    let name = free.expect("the numbers do not end");
    names.insert(name.clone());
    name
}
