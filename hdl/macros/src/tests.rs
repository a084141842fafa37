//! What is refused, and with which sentence.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{expand, of_item, surface};

/// What is said of an `update` with this body.
fn refusal(body: TokenStream) -> String {
    match expand(quote!(fn update(&mut self) { #body })) {
        Ok(tokens) => panic!("{body} is taken: {tokens}"),
        Err(error) => error.to_string(),
    }
}

macro_rules! refused {
    ($($test:ident: { $($body:tt)* } $says:literal)+) => {
        $(#[test]
        fn $test() {
            let said = refusal(quote!($($body)*));
            assert!(said.contains($says), "{said}");
        })+
    };
}

refused! {
    a_local: { let a = self.a.val(); } "`let` is not of the hardware"
    an_item: { const A: usize = 1; } "an item cannot stand within `update`"
    a_return: { return; } "this statement is not of the hardware"
    an_assignment_with_an_operator: { self.a.next += 1; } "this statement is not of the hardware"
    a_while: { while true {} } "this statement is not of the hardware"
    a_method_as_a_statement: { self.a.set_bit(1, true); } "this statement is not of the hardware"
    a_function_as_a_statement: { help(&mut self.a); } "the only functions that are called as statements"
    another_macro: { dbg!(1); } "the only macros that the hardware knows"
    a_setup_without_a_clock: { dff_setup!(self); } "wanted is `self`, the clock, and registers"
    an_assignment_to_an_element: { self.a[1] = true; } "only `.next` of a signal"
    an_assignment_to_val: { self.a.val = true; } "`.val` cannot be assigned"
    a_read_of_next: { self.a.next = self.b.next; } "`.next` cannot be read"
    a_tuple: { self.a.next = self.b.val().0; } "hardware has fields with names"
    a_field_without_bits: { self.a.next = self.b.val()._sim; } "begins with `_` has no bits"
    a_keyword_of_verilog: { self.a.next = self.input.val(); } "`input` is a keyword of Verilog"
    a_field_of_an_element_in_a_loop: { for i in 0..4 { self.a.next = self.b[i].val().first; } } "in the loop over `i`"
    a_loop_without_an_end: { for i in 0.. { } } "a loop has the form `for i in 0..N`"
    a_loop_with_its_end: { for i in 0..=3 { } } "a loop has the form `for i in 0..N`"
    a_loop_over_a_list: { for i in self.all { } } "a loop has the form `for i in 0..N`"
    a_choice_within_an_expression: { self.a.next = if self.b.val() { 1 } else { 2 }; } "assign in each branch"
    a_condition_that_binds: { if let Some(a) = self.a.val() { } } "this expression is not of the hardware"
    a_conversion: { self.a.next = self.b.val() as u8; } "`as` is not of the hardware"
    a_struct: { self.a.next = Pair { low: 1 }; } "this expression is not of the hardware"
    a_function: { self.a.next = help(self.b.val()); } "the functions of the hardware are"
    a_method: { self.a.next = self.b.val().set_bits(1, 2); } "the hardware has no `set_bits`"
    a_method_with_too_many_values: { self.a.next = self.b.val(1); } "`val` takes no value"
    a_division: { self.a.next = self.b.val() / 2; } "the hardware has no such operator"
    a_dereference: { self.a.next = *self.b.val(); } "the hardware has no such operator"
    bits_without_a_width: { self.a.next = bits(1); } "the width of the result is to be said"
    get_bits_without_a_width: { self.a.next = self.b.val().get_bits(1); } "the width of the result is to be said"
    a_width_that_rust_finds: { self.a.next = bit_cast::<_, 8>(self.b.val()); } "the width of the result is to be said"
    get_bit_without_an_index: { self.a.next = self.b.val().get_bit(); } "`get_bit` takes one value"
    a_text: { self.a.next = "text"; } "a literal of the hardware is"
    a_literal_that_is_too_large: { self.a.next = bits::<64>(0xffff_ffff); } "does not fit in `i32`"
    a_literal_of_another_type: { self.a.next = bits::<64>(1_i64); } "the types of literals are"
    an_arm_with_two_patterns: { match self.a.val() { A::B | A::C => {} } } "write an arm for each"
    an_arm_with_a_condition: { match self.a.val() { A::B if true => {} } } "write an `if` within it"
    an_arm_with_a_range: { match self.a.val() { 0..3 => {} } } "is a variant `Type::Variant`, a literal or `_`"
}

#[test]
fn a_function_with_other_parameters_is_refused() {
    for function in [
        quote!(
            fn update() {}
        ),
        quote!(
            fn update(&mut self, by: usize) {}
        ),
    ] {
        let said = expand(function).expect_err("this is no `update`").to_string();
        assert!(said.contains("takes `&mut self` and nothing else"), "{said}");
    }
}

#[test]
fn numbers_and_types_that_come_twice_are_evaluated_once() {
    let body = quote! {
        self.a.next = bit_cast::<N, 8>(self.p.val().low);
        self.b.next = bit_cast::<N, 8>(self.p.val().high);
    };
    let text = expand(quote!(fn update(&mut self) { #body })).unwrap().to_string().replace(' ', "");
    assert!(text.contains("numbers:&[N],layouts:&[layout(&self.p.val())],"), "{text}");
}

/// What the attribute `block` says of a struct.
fn refusal_of_struct(arguments: TokenStream, item: TokenStream) -> String {
    let made = of_item(arguments, item).unwrap_or_else(|error| error.to_compile_error());
    let text = made.to_string();
    assert!(text.contains("compile_error"), "it is taken: {text}");
    text
}

/// What it says of an `update` with this body, in a block with a signal, a register, a parameter and a part.
fn refusal_of_block(body: TokenStream) -> String {
    let handed =
        quote!({ a signal, b signal, count register = 0, limit param, queue part } impl Some { #body });
    let text = surface::with_fields(syn::parse2(handed).unwrap()).to_string();
    assert!(text.contains("compile_error"), "{body} is taken: {text}");
    assert!(
        text.contains("impl :: rust_hdl :: core :: logic :: Logic for Some"),
        "one error is followed by many: {text}"
    );
    text
}

macro_rules! refused_of_block {
    ($($test:ident: { $($body:tt)* } $says:literal)+) => {
        $(#[test]
        fn $test() {
            let said = refusal_of_block(quote!(fn update(&mut self) { $($body)* }));
            assert!(said.contains($says), "{said}");
        })+
    };
}

refused_of_block! {
    a_value_by_val: { self.a = self.b.val(); } "reads a signal by its name"
    a_part_as_a_value: { self.a = self.queue; } "name one of its ports"
    a_part_as_a_target: { self.queue = self.a; } "name one of its ports"
    a_parameter_as_a_target: { self.limit = 3; } "has its value from the constructor"
    a_wire_within_a_branch: { if self.a { let x = self.b; } } "a wire is declared in `update` itself"
    a_wire_without_a_value: { let x; } "a wire has the form"
    a_wire_of_two: { let (x, y) = self.b; } "a wire has the form"
    a_wire_with_the_name_of_a_field: { let a = self.b; } "is a field of the block, too"
    a_choice_as_the_value_of_a_wire: { let x = if self.a { 1 } else { 2 }; } "assign in each branch"
    a_method_of_no_hardware: { self.a = self.b.set_bits(1, 2); } "the hardware has no `set_bits`"
}

#[test]
fn an_impl_of_a_block_without_update_is_refused() {
    let said = refusal_of_block(quote!(
        fn new() -> Self {
            Self::default()
        }
    ));
    assert!(said.contains("a block has a function `update`"), "{said}");
    let said = refusal_of_block(quote!(
        fn update(&mut self, by: usize) {}
    ));
    assert!(said.contains("takes `&mut self` and nothing else"), "{said}");
}

#[test]
fn structs_that_are_no_blocks_are_refused_and_still_declared() {
    for (arguments, item, says) in [
        (
            quote!(no_clk),
            quote!(
                struct Some {
                    a: Reg<bool>,
                }
            ),
            "allowed: `#[block]`",
        ),
        (
            quote!(),
            quote!(
                struct Some {
                    #[reset = 0]
                    a: Signal<In, bool>,
                }
            ),
            "only a register",
        ),
        (
            quote!(),
            quote!(
                struct Some {
                    #[reset]
                    a: Reg<bool>,
                }
            ),
            "a reset has a value",
        ),
        (
            quote!(no_reset),
            quote!(
                struct Some {
                    #[reset = 0]
                    a: Reg<bool>,
                }
            ),
            "resets nothing",
        ),
        (
            quote!(),
            quote!(
                struct Some {
                    clk: Signal<In, Clock>,
                }
            ),
            "adds the port `clk` by itself",
        ),
        (
            quote!(),
            quote!(
                struct Some(bool);
            ),
            "a block has fields with names",
        ),
    ] {
        let said = refusal_of_struct(arguments, item);
        assert!(said.contains(says) && said.contains("struct Some"), "{said}");
    }
    let said = refusal_of_struct(
        quote!(),
        quote!(
            enum Some {
                A,
            }
        ),
    );
    assert!(said.contains("stands on the struct of a block"), "{said}");
    let said = refusal_of_struct(quote!(), quote!(impl Logic for Some {}));
    assert!(said.contains("stands on the struct of a block"), "{said}");
}

#[test]
fn what_a_name_means_follows_from_the_type_of_its_field() {
    let handed = quote!({ a signal, b signal, count register [4] = 0, queue part } impl Some {
        fn update(&mut self) {
            let mut x = self.a;
            x = self.queue.valid & x;
            for i in 0..4 { self.count[i] = self.count[i] + 1; }
            self.b.low = self.queue.head.low;
            self.queue.item = 3;
        }
    });
    let text = surface::with_fields(syn::parse2(handed).unwrap()).to_string().replace(' ', "");
    for written in [
        "letmutx=self.a.val();",
        "x=self.queue.valid.val()&x;",
        "self.count[i].d.next=self.count[i].q.val()+1;",
        "self.b.next.low=self.queue.head.val().low;",
        "self.queue.item.next=3.into();",
        "ifself.rst.val(){foriin0..4{self.count[i].d.next=0.into();}}",
        "Part::clocked(&mutself.count,clk_of_parts,rst_of_parts);",
    ] {
        assert!(text.contains(written), "{written} in {text}");
    }
}
