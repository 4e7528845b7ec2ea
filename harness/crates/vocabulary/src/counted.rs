//! A count in a sentence.

use std::fmt::Display;

/// So many of them, in words: `1 thread`, `2 threads`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn a_noun_has_the_number_that_stands_before_it() {
        let told = [0, 1, 2].map(|number| counted(number, "simulated point"));
        assert_eq!(told, ["0 simulated points", "1 simulated point", "2 simulated points"]);
    }
}
