//! Exact fractions.

/// A fraction of whole numbers that are not negative, in lowest terms.
///
/// Numerators and denominators of this crate stay far below 2^64, so that nothing overflows in 128 bits.
pub type Ratio = num_rational::Ratio<u128>;

/// The nearest floating-point number, for printing.
pub fn to_f64(ratio: Ratio) -> f64 {
    *ratio.numer() as f64 / *ratio.denom() as f64
}
