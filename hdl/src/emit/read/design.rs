//! The design as a tree of blocks, read through rust-hdl's probe.

use num_bigint::BigUint;
use rust_hdl::core::ast::{Verilog, VerilogLiteral};
use rust_hdl::core::atom::{Atom, AtomKind};
use rust_hdl::core::block::Block;
use rust_hdl::core::probe::Probe;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use crate::emit::error::EmitError;
use crate::emit::names::joined;

/// One instance of a block.
pub struct Node {
    /// Field name, arrays as `lane$3`.
    pub name: String,
    /// Path from the top, for messages: `reps.lane.3`.
    pub path: String,
    pub atoms: Vec<AtomInfo>,
    pub children: Vec<Node>,
    pub code: Verilog,
    /// Whether it is a `DFF`, which the parent prints as a register of its own.
    pub is_register: bool,
}

/// One signal or constant of a block.
pub struct AtomInfo {
    /// Field name, interfaces and arrays as `bus$valid`, `lane$3`.
    pub name: String,
    /// Its name in the Verilog: empty where only its fields have names there.
    pub printed: String,
    pub kind: AtomKind,
    pub width: usize,
    /// Value at construction, which only a constant keeps.
    pub value: BigUint,
    /// Whether a constant was given its value: a `Param` has none by default.
    pub has_value: bool,
    pub ty: TypeDescriptor,
}

/// A scalar of a type: the type itself, or a field of a struct.
pub struct Leaf {
    /// Field names joined with `_`, empty for the type itself.
    pub name: String,
    pub offset: usize,
    pub width: usize,
}

/// Width of a type in bits.
pub fn width_of(ty: &TypeDescriptor) -> usize {
    match &ty.kind {
        TypeKind::Bits(width) | TypeKind::Signed(width) => *width,
        TypeKind::Enum(variants) => rust_hdl::core::bits::clog2(variants.len()),
        TypeKind::Composite(fields) => fields.iter().map(|field| width_of(&field.kind)).sum(),
    }
}

/// The scalars of a type, lowest bits first.
pub fn leaves(ty: &TypeDescriptor) -> Vec<Leaf> {
    let TypeKind::Composite(fields) = &ty.kind else {
        return vec![Leaf { name: String::new(), offset: 0, width: width_of(ty) }];
    };
    let mut found = vec![];
    let mut offset = 0;
    for field in fields {
        for leaf in leaves(&field.kind) {
            let name = together([field.fieldname.as_str(), leaf.name.as_str()]);
            found.push(Leaf { name, offset: offset + leaf.offset, width: leaf.width });
        }
        offset += width_of(&field.kind);
    }
    found
}

/// A field's name in Rust: `item=` is the field `item`, which has no name in the Verilog but those of its own fields.
pub fn own_name(name: &str) -> &str {
    name.trim_end_matches('=')
}

/// Words joined with `_`, without those that the Verilog has not.
pub fn together<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = words.into_iter().filter(|word| !word.is_empty() && !word.ends_with('='));
    words.map(joined).collect::<Vec<_>>().join("_")
}

/// Value of a literal, negative ones as their absolute value and `true`.
pub fn literal_value(literal: &VerilogLiteral) -> (BigUint, bool, usize) {
    let text = format!("{literal:x}");
    let (width, digits) = text.split_once("'h").expect("rust-hdl prints literals as width'hdigits");
    let negative = digits.starts_with('-');
    let value = BigUint::parse_bytes(digits.trim_start_matches('-').as_bytes(), 16)
        .expect("rust-hdl prints hexadecimal digits");
    (value, negative, width.parse().expect("rust-hdl prints a decimal width"))
}

/// Reads the design below `top`.
pub fn read(top: &dyn Block, name: &str) -> Result<Node, EmitError> {
    let mut reader = Reader::default();
    top.accept(name, &mut reader);
    let node = reader.done.ok_or_else(|| EmitError::Unsupported {
        block: name.to_string(),
        what: "a top that is no single block".to_string(),
    })?;
    check(&node)?;
    Ok(node)
}

fn check(node: &Node) -> Result<(), EmitError> {
    let unsupported = |what: String| EmitError::Unsupported { block: node.path.clone(), what };
    for atom in &node.atoms {
        if !atom.has_value {
            let name = atom.name.replace('$', ".");
            return Err(EmitError::NoValue { block: node.path.clone(), name });
        }
        if matches!(atom.kind, AtomKind::InOutParameter | AtomKind::OutputPassthrough) {
            return Err(unsupported(format!("the bidirectional port `{}`", atom.name.replace('$', "."))));
        }
        if leaves(&atom.ty).iter().any(|leaf| leaf.width == 0) {
            return Err(unsupported(format!(
                "`{}`, which has a part of no bits,",
                atom.name.replace('$', ".")
            )));
        }
    }
    match &node.code {
        Verilog::Blackbox(_) | Verilog::Wrapper(_) => Err(unsupported("a black box or wrapper".into())),
        Verilog::Empty if !node.is_register => {
            let what = "a block without Verilog, which has no `hdl` function or is a memory made without its constructor,";
            Err(unsupported(what.into()))
        }
        _ => node.children.iter().try_for_each(check),
    }
}

#[derive(Default)]
struct Reader {
    open: Vec<Node>,
    namespace: Vec<String>,
    done: Option<Node>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, name: &str, block: &dyn Block) {
        let path = match self.open.last() {
            Some(parent) => format!("{}.{}", parent.path, name.replace('$', ".")),
            None => name.to_string(),
        };
        let code = block.hdl();
        let is_register = block.timing().iter().any(|timing| timing.name == "dff");
        self.open.push(Node {
            name: name.to_string(),
            path,
            atoms: vec![],
            children: vec![],
            code,
            is_register,
        });
    }

    fn visit_start_namespace(&mut self, name: &str, _block: &dyn Block) {
        self.namespace.push(name.to_string());
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let Some(node) = self.open.last_mut() else { return };
        let path: Vec<&str> = self.namespace.iter().map(String::as_str).chain([name]).collect();
        let name = path.iter().map(|word| own_name(word)).collect::<Vec<_>>().join("$");
        let printed = together(path);
        let (value, _, _) = literal_value(&atom.verilog());
        node.atoms.push(AtomInfo {
            name,
            printed,
            kind: atom.kind(),
            width: atom.bits(),
            value,
            has_value: atom.kind() != AtomKind::Constant || atom.connected(),
            ty: atom.descriptor(),
        });
    }

    fn visit_end_namespace(&mut self, _name: &str, _block: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_end_scope(&mut self, _name: &str, _block: &dyn Block) {
        let Some(node) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.done = Some(node),
        }
    }
}
