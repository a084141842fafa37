//! What the skeleton of a path selector consists of: copies of the files of the smallest one, and its rows once more.

/// The core that a new one begins as.
pub const MODEL: &str = "ecmp";

/// A file that is made or changed. The words of the model become those of the new core.
pub enum Edit {
    /// A copy of a file, in which these texts become others.
    Copy { from: &'static str, changes: &'static [(&'static str, &'static str)] },
    /// A text that a file has once, and what is put there.
    Change { file: &'static str, find: &'static str, put: Put },
    /// What a file has from one text to the next other one, once more behind it.
    Block { file: &'static str, begin: &'static str, end: &'static str },
}

/// What is put where a text was found.
pub enum Put {
    /// The text, and behind it the same for the new core.
    Again,
    /// The same for the new core, behind another text.
    AgainBehind(&'static str),
    /// This. In it and in the text that was found `{name}` is the core, `{Type}` its name as that of a type, `{code}` its code in the
    /// block `nic`, `{count}` how many selectors there are with it, and `{last}` the selector that was the last one.
    With(&'static str),
}

const fn again(file: &'static str, find: &'static str) -> Edit {
    Edit::Change { file, find, put: Put::Again }
}

const fn behind(file: &'static str, find: &'static str, place: &'static str) -> Edit {
    Edit::Change { file, find, put: Put::AgainBehind(place) }
}

const fn with(file: &'static str, find: &'static str, put: &'static str) -> Edit {
    Edit::Change { file, find, put: Put::With(put) }
}

const CONFIG: &str = "hdl/src/config/nic.rs";
const SPRAY: &str = "golden/src/nic/spray.rs";
const COLOUR: &str = "synth/src/plot/colour.rs";
const GENERATED: &str = "hdl/tests/cores/generated.rs";
const PARITY: &str = "docs/parity.md";

/// All of them, in an order in which each finds its text.
pub const EDITS: &[Edit] = &[
    // The hardware, the golden model, and what joins the two.
    Edit::Copy {
        from: "hdl/src/cores/ecmp.rs",
        changes: &[
            (
                "//! One EV a connection: its first send draws it, all later ones use it again. What 001 compares REPS with.",
                "//! `{name}` begins as a copy of `ecmp`: one EV a connection. Say here what it does.",
            ),
            ("one EV a connection, drawn by its first send.", "a copy of `ecmp`, from which it is made."),
            ("001 (REPS) section 4.1, ECMP", "the paper that it follows"),
        ],
    },
    again("hdl/src/cores/mod.rs", "pub mod ecmp;\n"),
    behind("hdl/src/cores/mod.rs", "    ops ecmp;\n", "    ops flowcut;\n"),
    Edit::Copy {
        from: "golden/src/ecmp.rs",
        changes: &[(
            "//! ECMP: one path a connection, 001 section 2.2.\n",
            "//! `{name}` begins as a copy of `ecmp`. Follow the paper here, line by line.\n",
        )],
    },
    again("golden/src/lib.rs", "pub mod ecmp;\n"),
    Edit::Copy {
        from: "cosim/src/cores/ecmp.rs",
        changes: &[("//! One EV a connection.", "//! The golden model of `{name}` and its contract.")],
    },
    again("cosim/src/cores/mod.rs", "pub mod ecmp;\n"),
    behind("cosim/src/cores/mod.rs", "    ecmp::EcmpCore,\n", "    flowcut::FlowcutCore,\n"),
    // What the checks know of each core.
    again("cosim/src/cores/upsets.rs", "    Rules { core: \"ecmp\", ..SELECTOR },\n"),
    again("mutate/src/cover/codes.rs", "    selector(\"ecmp\", &[(0, \"explore\"), (2, \"replay\")]),\n"),
    Edit::Block { file: "synth/src/prove/selectors.rs", begin: "selector!(\n    ECMP,\n", end: "\n);\n\n" },
    again("synth/src/prove/mod.rs", "    &selectors::ECMP,\n"),
    with(COLOUR, "[(&str, Pair); {code}]", "[(&str, Pair); {count}]"),
    with(
        COLOUR,
        "];\n\n/// Colours of series that there are.",
        "    (\"{name}\", (\"#56606b\", \"#aab4bf\")),\n];\n\n/// Colours of series that there are.",
    ),
    Edit::Block { file: "synth/budgets.toml", begin: "[ecmp]\n", end: "\n\n" },
    again(
        "cosim/tests/rules/random.rs",
        "        (\"ecmp\", &[\"selector.ev_bits=4\", \"selector.ev_base=32\"]),\n",
    ),
    again(
        GENERATED,
        "        (\"ecmp\", [\"connections=16384\", \"selector.ev_bits=1\", \"selector.ev_base=6\"]),\n",
    ),
    again(
        GENERATED,
        "        (\"ecmp\", [\"connections=256\", \"selector.ev_bits=16\", \"selector.ev_base=0\"]),\n",
    ),
    again("mutate/tests/parity.rs", "    (\"ecmp\", &[]),\n"),
    // The block `nic`, whose selectors have the codes of their order.
    with(
        CONFIG,
        "}\n\nimpl PathSelector {",
        "    /// A new selector.\n    {Type},\n}\n\nimpl PathSelector {",
    ),
    with(CONFIG, "[&'static str; {code}]", "[&'static str; {count}]"),
    with(
        CONFIG,
        "    ];\n\n    /// The word for it in a configuration, which is the name of its core.",
        "        PathSelector::{Type}.name(),\n    ];\n\n    /// The word for it in a configuration, which is the name of its core.",
    ),
    again(CONFIG, "            PathSelector::Ecmp => \"ecmp\",\n"),
    again(SPRAY, "use crate::ecmp::Ecmp;\n"),
    with(SPRAY, "}\n\nimpl Choice {", "    {Type},\n}\n\nimpl Choice {"),
    with(
        SPRAY,
        "        }\n    }\n\n    /// Whether it lets packets wait, which are then parked.",
        "            Choice::{Type} => {code},\n        }\n    }\n\n    /// Whether it lets packets wait, which are then parked.",
    ),
    again(SPRAY, "            Choice::Ecmp => Box::new(engine::<Ecmp>(config, seed, ())),\n"),
    with("golden/src/nic/registers.rs", " {last}\";\n", " {last}, {code} {name}\";\n"),
    again("cosim/src/nic/config.rs", "        PathSelector::Ecmp => Choice::Ecmp,\n"),
    again("cosim/tests/nic/register_table.rs", "        (\"ecmp\", Choice::Ecmp),\n"),
    with("nic.toml", "# \"plb\", \"strack\",", "# \"{name}\", \"plb\", \"strack\","),
    // The documents.
    Edit::Copy {
        from: "docs/ecmp.md",
        changes: &[(
            "# `ecmp`: one EV a connection\n",
            "# `{name}`\n\nThis page is a copy of the page of `ecmp`. Say here what the core does, when to choose it, and which paper it follows.\n",
        )],
    },
    again("docs/SUMMARY.md", "  - [`ecmp`](ecmp.md)\n"),
    with(
        "docs/nic.md",
        "| [`subflows`](subflows.md) | as the baseline",
        "| [`{name}`]({name}.md) | as `ecmp`, of which it is a copy |\n| [`subflows`](subflows.md) | as the baseline",
    ),
    with(
        "docs/stimulus.md",
        "[ecmp](ecmp.md#op-traces),",
        "[ecmp](ecmp.md#op-traces), [{name}]({name}.md#op-traces),",
    ),
    with("docs/glossary.md", "`strack`, `bitmap`, `mixed`", "`strack`, `bitmap`, `mixed`, `{name}`"),
    with(PARITY, "`ecmp`, `subflows`, `mprdma`,\n", "`ecmp`, `{name}`, `subflows`, `mprdma`,\n"),
];
