//! The arguments that lead to a configuration.

use respray_cosim::report::config_arguments;
use respray_hdl::config::Config;

#[test]
fn arguments_are_those_that_lead_to_the_configuration_and_no_more() {
    for sets in [&["wire=uet"][..], &["sack.psn_bits=24", "wire=uet"], &["connections=16", "reps.depth=4"]] {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).unwrap();
        let arguments: Vec<String> = sets.iter().flat_map(|set| ["--set".to_string(), set.clone()]).collect();
        assert_eq!(config_arguments(&config), arguments);
    }
}
