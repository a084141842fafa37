//! The syntax tree of a block's `update` as data, and rust-hdl's own tree, which is made of it.
//!
//! The attributes `hdl_gen` and `block` of `respray_hdl_macros` write the nodes. They are the same for all sizes of a block, so they are
//! static; what the sizes decide stands beside them, in [`Sizes`].

use std::slice::Iter;

use rust_hdl::core::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLink, VerilogLinkDetails, VerilogLiteral, VerilogLoop, VerilogMatch, VerilogStatement,
};
pub use rust_hdl::core::ast::{VerilogOp as Operator, VerilogOpUnary as Unary};
use rust_hdl::core::synth::Synth;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use super::read::{own_name, width_of};

/// A node of the tree. Each stands before its parts, which its description names in their order.
#[derive(Debug)]
pub enum Node {
    /// So many statements.
    Block(usize),
    /// An assignment: target, value.
    Assign,
    /// An assignment to a field of a struct, by the place of the struct among the layouts: signal, value.
    AssignField(usize, &'static str),
    /// Condition, block, and [`Node::NoElse`], [`Node::Else`] or [`Node::ElseIf`].
    If,
    NoElse,
    /// Block.
    Else,
    /// Another [`Node::If`].
    ElseIf,
    /// What is matched, and so many cases.
    Match(usize),
    /// A pattern, and the block behind it.
    Case(&'static str),
    /// A loop over an index of this name: first literal, literal behind the last, block.
    Loop(&'static str),
    Comment(&'static str),
    /// An interface that is linked or joined, by the place of the function among the links: both ends, as signals.
    Link(usize),
    /// Two ports of one kind: the sink and the source, as signals.
    Join,
    /// So many statements for which one macro stands. None of them, last in a tree, says that the tree is one of `#[block]`.
    Macro(usize),

    /// A signal, a loop index or a variant of an enum.
    Signal(&'static str),
    Literal(Literal),
    /// A value at another width.
    Cast(Size),
    /// A value at the width that is wanted of it.
    Resize,
    /// A value.
    Signed,
    /// A value.
    Unsigned,
    /// A value.
    Paren,
    /// Left side, right side.
    Binary(Operator),
    /// A value.
    Unary(Unary),
    /// A field of a struct, by the place of the struct among the layouts: the struct.
    Field(usize, &'static str),
    /// A bit: value, index.
    Index,
    /// So many bits: value, offset.
    Slice(Size),
    /// A value with another bit: value, index, bit.
    IndexReplace,
}

/// A number that is the same for all sizes of the block, or is among the numbers of [`Sizes`].
#[derive(Clone, Copy, Debug)]
pub enum Size {
    Is(usize),
    At(usize),
}

/// A literal by its Rust type, from which rust-hdl takes its width.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    Bool(bool),
    I32(i32),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    /// By reference, as it would make every node larger.
    U128(&'static u128),
    Usize(Size),
}

/// The type of a struct.
pub type Layout = fn() -> TypeDescriptor;

/// A function that links or joins two interfaces.
pub type Link = fn(&str, &str, &str) -> Vec<VerilogLink>;

/// What of the tree depends on the sizes of the block.
pub struct Sizes<'a> {
    pub numbers: &'a [usize],
    pub layouts: &'a [Layout],
    pub links: &'a [Link],
}

/// The type of a value.
pub fn layout<T: Synth>(_: &T) -> Layout {
    T::descriptor
}

/// rust-hdl's tree of an `update`.
pub fn verilog(nodes: &'static [Node], sizes: &Sizes) -> Verilog {
    let mut reader = Reader { nodes: nodes.iter(), sizes, layouts: vec![None; sizes.layouts.len()] };
    Verilog::Combinatorial(reader.block())
}

struct Reader<'a> {
    nodes: Iter<'static, Node>,
    sizes: &'a Sizes<'a>,
    /// The layouts that have been asked for.
    layouts: Vec<Option<TypeDescriptor>>,
}

impl Reader<'_> {
    fn next(&mut self) -> &'static Node {
        self.nodes.next().expect("a node is followed by its parts")
    }

    fn size(&self, size: Size) -> usize {
        match size {
            Size::Is(value) => value,
            Size::At(place) => self.sizes.numbers[place],
        }
    }

    fn block(&mut self) -> VerilogBlock {
        match self.next() {
            Node::Block(count) => self.statements(*count),
            node => unreachable!("{node:?} where a block stands"),
        }
    }

    fn statements(&mut self, count: usize) -> VerilogBlock {
        (0..count).map(|_| self.statement()).collect()
    }

    fn statement(&mut self) -> VerilogStatement {
        match self.next() {
            Node::Assign => VerilogStatement::Assignment(self.expression(), self.expression()),
            Node::AssignField(layout, name) => {
                let (width, offset) = self.field(*layout, name);
                VerilogStatement::SliceAssignment {
                    base: self.expression(),
                    width,
                    offset: VerilogExpression::Literal(offset.into()),
                    replacement: self.expression(),
                }
            }
            Node::If => self.conditional(),
            Node::Match(count) => VerilogStatement::Match(VerilogMatch {
                test: self.expression(),
                cases: (0..*count).map(|_| self.case()).collect(),
            }),
            Node::Loop(index) => VerilogStatement::Loop(VerilogLoop {
                index: index.to_string(),
                from: self.bound(),
                to: self.bound(),
                block: self.block(),
            }),
            Node::Comment(text) => VerilogStatement::Comment(text.to_string()),
            Node::Link(place) => {
                let function = self.sizes.links[*place];
                VerilogStatement::Link(function("", self.signal(), self.signal()))
            }
            Node::Join => {
                let (sink, source) = (self.signal(), self.signal());
                VerilogStatement::Link(vec![VerilogLink::Bidirectional(VerilogLinkDetails {
                    my_name: String::new(),
                    owner_name: sink.to_string(),
                    other_name: source.to_string(),
                })])
            }
            Node::Macro(count) => VerilogStatement::Macro(self.statements(*count)),
            node => unreachable!("{node:?} where a statement stands"),
        }
    }

    fn conditional(&mut self) -> VerilogStatement {
        VerilogStatement::If(VerilogConditional {
            test: self.expression(),
            then: self.block(),
            otherwise: match self.next() {
                Node::NoElse => VerilogBlockOrConditional::None,
                Node::Else => VerilogBlockOrConditional::Block(self.block()),
                Node::ElseIf => VerilogBlockOrConditional::Conditional(Box::new(self.statement())),
                node => unreachable!("{node:?} where an `else` stands"),
            },
        })
    }

    fn case(&mut self) -> VerilogCase {
        match self.next() {
            Node::Case(pattern) => VerilogCase { condition: pattern.to_string(), block: self.block() },
            node => unreachable!("{node:?} where a case stands"),
        }
    }

    fn bound(&mut self) -> VerilogLiteral {
        match self.next() {
            Node::Literal(literal) => self.literal(*literal),
            node => unreachable!("{node:?} where the bound of a loop stands"),
        }
    }

    fn signal(&mut self) -> &'static str {
        match self.next() {
            Node::Signal(name) => name,
            node => unreachable!("{node:?} where a signal stands"),
        }
    }

    fn expression(&mut self) -> VerilogExpression {
        use VerilogExpression as E;
        match self.next() {
            Node::Signal(name) => E::Signal(name.to_string()),
            Node::Literal(literal) => E::Literal(self.literal(*literal)),
            Node::Cast(width) => E::Cast(self.boxed(), self.size(*width)),
            Node::Resize => E::Cast(self.boxed(), 0),
            Node::Signed => E::Signed(self.boxed()),
            Node::Unsigned => E::Unsigned(self.boxed()),
            Node::Paren => E::Paren(self.boxed()),
            Node::Binary(operator) => E::Binary(self.boxed(), operator.clone(), self.boxed()),
            Node::Unary(operator) => E::Unary(operator.clone(), self.boxed()),
            Node::Field(layout, name) => {
                let (width, offset) = self.field(*layout, name);
                E::Slice(self.boxed(), width, Box::new(E::Literal(offset.into())))
            }
            Node::Index => E::Index(self.boxed(), self.boxed()),
            Node::Slice(width) => E::Slice(self.boxed(), self.size(*width), self.boxed()),
            Node::IndexReplace => E::IndexReplace(self.boxed(), self.boxed(), self.boxed()),
            node => unreachable!("{node:?} where an expression stands"),
        }
    }

    fn boxed(&mut self) -> Box<VerilogExpression> {
        Box::new(self.expression())
    }

    fn literal(&self, literal: Literal) -> VerilogLiteral {
        match literal {
            Literal::Bool(value) => value.into(),
            Literal::I32(value) => value.into(),
            Literal::U8(value) => value.into(),
            Literal::U16(value) => value.into(),
            Literal::U32(value) => value.into(),
            Literal::U64(value) => value.into(),
            Literal::U128(value) => (*value).into(),
            Literal::Usize(value) => self.size(value).into(),
        }
    }

    /// Width and offset of a field.
    fn field(&mut self, layout: usize, name: &str) -> (usize, usize) {
        let ty = self.layouts[layout].get_or_insert_with(self.sizes.layouts[layout]);
        let fields = match &ty.kind {
            TypeKind::Composite(fields) => &fields[..],
            _ => &[],
        };
        let at = fields.iter().position(|field| own_name(&field.fieldname) == name);
        let at = at.unwrap_or_else(|| panic!("`{}` has no bits for its field `{name}`", ty.name));
        let offset = fields[..at].iter().map(|field| width_of(&field.kind)).sum();
        (width_of(&fields[at].kind), offset)
    }
}
