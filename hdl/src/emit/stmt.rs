//! Statements whose expressions have known widths.

use super::expr::{Expr, NetId};

/// What the author says of some statements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Comment {
    /// Its number among the comments of the block; in every turn of a loop it is the same.
    pub number: usize,
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stmt {
    /// Statements with a comment above them.
    Commented {
        comment: Comment,
        body: Vec<Stmt>,
    },
    Assign {
        net: NetId,
        value: Expr,
    },
    If {
        test: Expr,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// Labels are constants; without a `default` they cover every value of the subject.
    Case {
        subject: Expr,
        arms: Vec<(Expr, Vec<Stmt>)>,
        default: Option<Vec<Stmt>>,
    },
}

impl Stmt {
    /// The statements within it, a list for each way through it.
    pub fn bodies(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::Commented { body, .. } => vec![body],
            Stmt::Assign { .. } => vec![],
            Stmt::If { then, other, .. } => vec![then, other],
            Stmt::Case { arms, default, .. } => {
                arms.iter().map(|(_, body)| body.as_slice()).chain(default.as_deref()).collect()
            }
        }
    }

    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::Commented { body, .. } => vec![body],
            Stmt::Assign { .. } => vec![],
            Stmt::If { then, other, .. } => vec![then, other],
            Stmt::Case { arms, default, .. } => {
                arms.iter_mut().map(|(_, body)| body).chain(default.as_mut()).collect()
            }
        }
    }

    /// The expressions of the statement itself, in the order in which they are printed.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Stmt::Commented { .. } => vec![],
            Stmt::Assign { value: one, .. } | Stmt::If { test: one, .. } => vec![one],
            Stmt::Case { subject, arms, .. } => {
                std::iter::once(subject).chain(arms.iter().map(|(label, _)| label)).collect()
            }
        }
    }

    /// The expressions of the statement itself that are no labels.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Commented { .. } => vec![],
            Stmt::Assign { value: one, .. }
            | Stmt::If { test: one, .. }
            | Stmt::Case { subject: one, .. } => vec![one],
        }
    }

    /// Calls `visit` for each expression of these statements and of those within them.
    pub fn visit_exprs<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
        for stmt in stmts {
            stmt.exprs().into_iter().for_each(&mut *visit);
            stmt.bodies().into_iter().for_each(|body| Stmt::visit_exprs(body, visit));
        }
    }
}
