//! Numbers as people and tables get them.

/// The nearest number to `value` of six significant decimal digits, as in the other tables.
pub fn six_digits(value: f64) -> f64 {
    rounded(value, 5)
}

/// `value` with at most four significant digits, without an exponent.
pub fn told(value: f64) -> String {
    rounded(value, 3).to_string()
}

fn rounded(value: f64, decimals: usize) -> f64 {
    // Through text, which rounds exactly; adding 0 turns -0 into 0.
    format!("{value:.decimals$e}").parse().map_or(value, |rounded: f64| rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_kept_where_they_count() {
        assert_eq!(six_digits(0.123_456_78), 0.123_457);
        assert_eq!(six_digits(-1_234_567.0), -1_234_570.0);
        assert_eq!(six_digits(0.0), 0.0);
        assert_eq!(told(6_052_345.6), "6052000");
        assert_eq!(told(-0.012_345), "-0.01235");
    }

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!(told(-0.0), "0");
    }
}
