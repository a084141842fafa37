//! What an op trace expects of a result, held against the result.

use respray_hdl::contract::{Base, Contract, ExpectWord, Field, Shown};

use crate::traffic::stimulus::Expectation;

/// A result that is not what the op trace expects, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    pub expected: String,
    pub seen: String,
}

/// Says how a result differs from what is expected of it; `None` if it does not. `fields` are those of the result.
pub fn unmet(
    contract: &Contract,
    fields: &[&Field],
    expectation: &Expectation,
    shown: Option<&impl Shown>,
) -> Option<Unmet> {
    // a field that is not promised is none of the expected ones
    let mut seen = vec![None; fields.len()];
    if let Some(shown) = shown {
        shown.each(|place, value, is_promised| {
            if is_promised && place < seen.len() {
                seen[place] = Some(value);
            }
        });
    }
    let words = contract.trace.words;
    let place = |port| fields.iter().position(|field| field.port == port).expect("a port of the contract");
    let fits = |word: &ExpectWord| seen[place(word.port)].is_some_and(|value| word.allowed >> value & 1 != 0);
    let word = expectation.word.map(|word| &words[word]);
    let is_met = word.is_none_or(fits)
        && expectation.values.iter().all(|(place, expected)| seen[*place] == Some(*expected));
    if is_met {
        return None;
    }
    // a word that needs one column alone says whose value stands behind it
    let is_of_word =
        |place: usize| words.iter().any(|word| fields[place].expect.is_some_and(|name| word.needs == [name]));
    let text = |name: &str, values: &[(usize, Option<u64>)]| {
        let texts: Vec<String> = values
            .iter()
            .map(|(place, value)| match value {
                Some(value) => match fields[*place].phrase {
                    Some(phrase) => phrase.replace("{}", &number(fields[*place], *value)),
                    None if values.len() == 1 && !name.is_empty() && is_of_word(*place) => {
                        number(fields[*place], *value)
                    }
                    None => format!("{} {}", column(fields[*place]), number(fields[*place], *value)),
                },
                None => format!("no {}", column(fields[*place])),
            })
            .collect();
        let joined = texts.join(", ");
        if joined.is_empty() || name.is_empty() {
            format!("{name}{joined}")
        } else {
            format!("{name} {joined}")
        }
    };
    let expected: Vec<(usize, Option<u64>)> =
        expectation.values.iter().map(|(place, value)| (*place, Some(*value))).collect();
    // the word of the list that says most of what is seen
    let seen_word = words.iter().filter(|word| fits(word)).min_by_key(|word| word.allowed.count_ones());
    let mut told: Vec<usize> = expectation.values.iter().map(|(place, _)| *place).collect();
    for name in seen_word.iter().flat_map(|word| word.needs) {
        let needed = fields.iter().position(|field| field.expect == Some(name)).expect("a column");
        if !told.contains(&needed) {
            told.push(needed);
        }
    }
    let told: Vec<(usize, Option<u64>)> = told
        .into_iter()
        .map(|place| (place, seen[place]))
        .filter(|(_, value)| value.is_some() || seen_word.is_none())
        .collect();
    Some(Unmet {
        expected: text(word.map_or("", |word| word.phrase), &expected),
        seen: text(seen_word.map_or("", |word| word.phrase), &told),
    })
}

fn column(field: &Field) -> &str {
    field.expect.unwrap_or(field.name)
}

fn number(field: &Field, value: u64) -> String {
    match field.base {
        Base::Decimal => value.to_string(),
        Base::Hexadecimal => format!("{value:#x}"),
    }
}
