//! Every number of a configuration at its least, its greatest, one beyond, and where it is none.

use respray_hdl::config::{Allowed, Config, KEYS};

/// What is no whole number of a key.
const NONE: [&str; 9] =
    ["x", "-1", "1e6", "1.5", "nan", "true", "4294967296", "9223372036854775807", "18446744073709551616"];

/// Sets one key, beside what it is held against.
fn set(key: &str, value: &str) -> Result<Config, String> {
    let beside: &[&str] = match key {
        "selector.ev_base" => &["selector.ev_bits=1"],
        "sack.psn_bits" => &["wire=uet"],
        _ => &[],
    };
    let sets: Vec<String> =
        beside.iter().map(|set| set.to_string()).chain([format!("{key}={value}")]).collect();
    Config::load(None, &sets).map_err(|error| error.to_string())
}

fn refused(key: &str, value: &str) {
    let sentence = set(key, value).err().unwrap_or_else(|| panic!("`{key}` takes {value}"));
    assert!(!sentence.contains('\n') && sentence.contains(key), "{key}={value}: {sentence}");
}

#[test]
fn each_is_taken_at_its_ends_and_refused_beyond() {
    for key in KEYS {
        let (least, most) = match key.allowed {
            Allowed::Words(_) => {
                NONE.iter().for_each(|value| refused(key.name, value));
                continue;
            }
            Allowed::Menu(menu) => {
                for value in menu {
                    set(key.name, &value.to_string()).unwrap_or_else(|error| panic!("{error}"));
                }
                // of a menu that is all it takes, though what lies between its ends is a number
                let between = menu.windows(2).filter(|two| two[0] + 1 < two[1]).map(|two| two[0] + 1);
                between.for_each(|value| refused(key.name, &value.to_string()));
                (f64::from(menu[0]), f64::from(menu[menu.len() - 1]))
            }
            Allowed::Range(least, most) => {
                // the set of EVs begins at one of its multiples
                let most_taken = if key.name == "selector.ev_base" { most - 1 } else { most };
                for value in [least, most_taken] {
                    set(key.name, &value.to_string()).unwrap_or_else(|error| panic!("{error}"));
                }
                (f64::from(least), f64::from(most))
            }
            Allowed::Real(least, most) => {
                for value in [least, most] {
                    set(key.name, &value.to_string()).unwrap_or_else(|error| panic!("{error}"));
                }
                for value in ["x", "true", "nan", "inf", "-inf", "1e400", "0.999", "5e-324", "1000.001"] {
                    refused(key.name, value);
                }
                (least, most)
            }
        };
        refused(key.name, &(most + 1.0).to_string());
        refused(key.name, &(least - 1.0).to_string());
        if !matches!(key.allowed, Allowed::Real(..)) {
            NONE.iter().for_each(|value| refused(key.name, value));
        }
    }
}
