//! How rust-hdl visits the fields of a block.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

/// Its trait `Block`. A field whose name begins with `_` is not of the hardware; one with `#[flat]` has no name in the Verilog but
/// those of its own fields, which the `=` behind its name says.
pub fn block_impl(block: &ItemStruct) -> TokenStream {
    let has_bits = |name: &&syn::Ident| !name.to_string().starts_with('_');
    let (mut fields, mut names) = (vec![], vec![]);
    for field in &block.fields {
        let Some(name) = field.ident.as_ref().filter(has_bits) else { continue };
        let is_flat = field.attrs.iter().any(|attr| attr.path().is_ident("flat"));
        names.push(format!("{name}{}", if is_flat { "=" } else { "" }));
        fields.push(name);
    }
    let name = &block.ident;
    let (generics, arguments, bounds) = block.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics ::rust_hdl::core::block::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::core::logic::Logic::connect(self);
                #(self.#fields.connect_all();)*
            }

            fn update_all(&mut self) {
                if ::respray_hdl::SIMULATES {
                    ::rust_hdl::core::logic::Logic::update(self);
                    #(self.#fields.update_all();)*
                }
            }

            fn has_changed(&self) -> bool {
                ::respray_hdl::SIMULATES && (#(self.#fields.has_changed() ||)* false)
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::core::probe::Probe) {
                probe.visit_start_scope(name, self);
                #(self.#fields.accept(#names, probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    }
}
