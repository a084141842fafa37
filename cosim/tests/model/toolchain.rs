//! What linkers say.

use respray_cosim::verilator::inside::undefined;

#[test]
fn the_function_that_is_missing_is_read_from_what_the_linkers_say() {
    let gnu =
        "/usr/bin/ld: unity.o: in function `f()':\nx.cpp:7: undefined reference to `answer'\ncollect2: error";
    assert_eq!(undefined(gnu), Some("answer"));
    let llvm = "ld.lld: error: undefined symbol: answer\n>>> referenced by x.cpp:7\n";
    assert_eq!(undefined(llvm), Some("answer"));
    assert_eq!(undefined("x.cpp:7: error: expected `;'"), None);
}
