//! Median and quartiles.

/// The middle of some numbers and where half of them are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile.
    pub high: f64,
}

impl Spread {
    /// Of some numbers; absent of none. Between two numbers it interpolates (R's type 7).
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let last = numbers.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (numbers[place.floor() as usize], numbers[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Self { median: at(0.5), low: at(0.25), high: at(0.75) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_r() {
        // quantile(c(1, 2, 3, 4), c(.25, .5, .75))
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { low: 1.75, median: 2.5, high: 3.25 });
        assert_eq!(Spread::of(vec![7.0]).unwrap().high, 7.0);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
