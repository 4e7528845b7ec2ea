//! Numbers as they are written: six significant digits.
//!
//! Raw rates are printed with six or more, and six keep tables short. Fewer digits than a double
//! has also hide that the last one of a logarithm or root differs between libraries.

/// The nearest number to `value` of six significant decimal digits.
///
/// Only operations that every machine does alike: no logarithm finds the first digit.
pub fn six_digits(value: f64) -> f64 {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return value;
    }
    if size >= 1e6 {
        let mut unit = 1.0;
        while size / unit >= 999_999.5 {
            unit *= 10.0;
        }
        (value / unit).round() * unit
    } else {
        let mut unit = 1.0;
        while size * unit < 99_999.95 {
            unit *= 10.0;
        }
        (value * unit).round() / unit
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::six_digits;

    #[test]
    fn six_digits_are_kept_of_large_and_small_numbers() {
        assert_eq!(six_digits(6_052_345.678), 6_052_350.0);
        assert_eq!(six_digits(688_493.941), 688_494.0);
        assert_eq!(six_digits(0.998_765_43), 0.998_765);
        assert_eq!(six_digits(0.000_123_456_78), 0.000_123_457);
        assert_eq!(six_digits(-2_324.940_5), -2_324.94);
        assert_eq!((six_digits(0.0), six_digits(8.0)), (0.0, 8.0));
        assert_eq!((six_digits(999_999.7), six_digits(9_999_996.0)), (1_000_000.0, 10_000_000.0));
    }

    proptest! {
        #[test]
        fn the_result_is_what_printing_with_six_digits_says(value in 1e-9_f64..1e15) {
            let printed: f64 = format!("{value:.5e}").parse().unwrap();
            let ours = six_digits(value);
            // Halves may go either way: the binary number is not exactly one.
            prop_assert!((ours - printed).abs() <= 1.000_001e-5 * value, "{ours} {printed}");
            prop_assert_eq!(six_digits(ours), ours);
            let digits = ours.to_string().replace('.', "");
            prop_assert!(digits.trim_matches('0').len() <= 6, "{}", ours);
        }
    }
}
