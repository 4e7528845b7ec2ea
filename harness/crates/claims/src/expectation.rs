//! What a sentence lets one expect of a value.

use serde::Deserialize;

use crate::number::told;

/// The values that agree with a sentence, as they stand in the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExpectationText {
    range: Option<[f64; 2]>,
    equal: Option<f64>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    tolerance: Option<f64>,
    no_effect: Option<f64>,
}

/// The same, checked and with the tolerance applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The smallest value that agrees.
    pub low: Option<f64>,
    /// The largest.
    pub high: Option<f64>,
    /// The value that would mean that there is no effect; outside of `low` to `high`.
    pub no_effect: Option<f64>,
    /// How it is told.
    pub told: String,
}

/// On which side of no effect the sentence says that values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Above.
    Above,
    /// Below.
    Below,
}

impl ExpectationText {
    /// Checks that there are values that agree and values that do not.
    ///
    /// # Errors
    /// With the reason why not.
    pub fn check(&self) -> Result<Expectation, String> {
        let tolerance = self.tolerance.unwrap_or(0.0);
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(format!("tolerance = {tolerance}: give a number from 0"));
        }
        let (low, high, told) = self.bounds()?;
        let numbers = [low, high, self.no_effect];
        if numbers.iter().flatten().any(|number| !number.is_finite()) {
            return Err("not a finite number".to_owned());
        }
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return Err("its lower end is above its upper end: no value agrees".to_owned());
        }
        let told = if tolerance > 0.0 { format!("{told} ± {}", short(tolerance)) } else { told };
        let expectation = Expectation {
            low: low.map(|low| low - tolerance),
            high: high.map(|high| high + tolerance),
            no_effect: self.no_effect,
            told,
        };
        if self.no_effect.is_some() && expectation.side().is_none() {
            return Err("no-effect agrees with it, too: no side is left to be the right one".into());
        }
        Ok(expectation)
    }

    fn bounds(&self) -> Result<(Option<f64>, Option<f64>, String), String> {
        match (self.range, self.equal, self.at_least, self.at_most) {
            (Some([low, high]), None, None, None) if low == high => {
                Ok((Some(low), Some(high), short(low)))
            }
            (Some([low, high]), None, None, None) => {
                Ok((Some(low), Some(high), format!("{} to {}", short(low), short(high))))
            }
            (None, Some(equal), None, None) => Ok((Some(equal), Some(equal), short(equal))),
            (None, None, Some(low), None) => {
                Ok((Some(low), None, format!("at least {}", short(low))))
            }
            (None, None, None, Some(high)) => {
                Ok((None, Some(high), format!("at most {}", short(high))))
            }
            _ => Err("give exactly one of range, equal, at-least and at-most".to_owned()),
        }
    }
}

/// As it stands in the file; four digits are enough for what the texts say.
fn short(value: f64) -> String {
    told(value)
}

impl Expectation {
    /// On which side of no effect it is, if that is asked and it is wholly on one.
    pub fn side(&self) -> Option<Side> {
        let none = self.no_effect?;
        match (self.low, self.high) {
            (Some(low), _) if low > none => Some(Side::Above),
            (_, Some(high)) if high < none => Some(Side::Below),
            // At its very end: "at least 0 % more" means more.
            (Some(low), None) if low >= none => Some(Side::Above),
            (None, Some(high)) if high <= none => Some(Side::Below),
            _ => None,
        }
    }

    /// Whether `value` agrees. An end that means no effect does not: "at least 0 % more" means more.
    pub fn holds(&self, value: f64) -> bool {
        !self.is_below(value) && !self.is_above(value)
    }

    /// Whether `value` is too small to agree.
    pub fn is_below(&self, value: f64) -> bool {
        self.low.is_some_and(|low| value < low || (value == low && self.no_effect == Some(low)))
    }

    /// Whether `value` is too large to agree.
    pub fn is_above(&self, value: f64) -> bool {
        self.high
            .is_some_and(|high| value > high || (value == high && self.no_effect == Some(high)))
    }

    /// What the sentence lets one expect of a machine that is not the study's: of an effect's size
    /// its direction, of "no difference" and one-sided statements the same.
    ///
    /// # Errors
    /// When all that it says is a number of the study's machines.
    pub fn elsewhere(&self) -> Result<Self, &'static str> {
        match (self.low, self.high, self.side()) {
            (Some(_), Some(_), Some(side)) => {
                let none = self.no_effect;
                let (low, high, word) = match side {
                    Side::Above => (none, None, "above"),
                    Side::Below => (None, none, "below"),
                };
                let told = format!(
                    "{word} {} (its size is of the study's machines)",
                    short(none.unwrap_or(0.0))
                );
                Ok(Self { low, high, told, ..*self })
            }
            (Some(low), Some(high), None) if low > 0.0 || high < 0.0 => {
                Err("the number is one of the study's machines")
            }
            _ => Ok(self.clone()),
        }
    }

    /// How far `value` is from agreeing; 0 if it does.
    pub fn distance(&self, value: f64) -> f64 {
        let below = self.low.map_or(0.0, |low| low - value);
        let above = self.high.map_or(0.0, |high| value - high);
        below.max(above).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Expectation, String> {
        toml::from_str::<ExpectationText>(text).map_err(|e| e.to_string())?.check()
    }

    #[test]
    fn a_tolerance_widens_what_agrees_and_is_told() {
        let expectation = check("range = [3, 5]\ntolerance = 0.5\nno-effect = 0").unwrap();
        assert_eq!((expectation.low, expectation.high), (Some(2.5), Some(5.5)));
        assert_eq!(expectation.told, "3 to 5 ± 0.5");
        assert_eq!(expectation.side(), Some(Side::Above));
        assert!(expectation.holds(2.5) && expectation.holds(5.5) && !expectation.holds(5.6));
        assert_eq!(expectation.distance(2.0), 0.5);
        assert_eq!(expectation.distance(6.0), 0.5);
        assert_eq!(expectation.distance(4.0), 0.0);
    }

    #[test]
    fn the_side_of_an_effect_is_read_from_the_predicate() {
        assert_eq!(check("at-most = 0\nno-effect = 0").unwrap().side(), Some(Side::Below));
        assert_eq!(check("at-least = 80\nno-effect = 0").unwrap().side(), Some(Side::Above));
        assert_eq!(check("at-least = 80").unwrap().side(), None);
        assert_eq!(check("equal = 0.5\nno-effect = 1").unwrap().side(), Some(Side::Below));
    }

    #[test]
    fn predicates_that_contradict_themselves_are_refused() {
        for text in [
            "",
            "tolerance = 1",
            "range = [5, 3]",
            "range = [3, 5]\nat-least = 3",
            "at-least = 1\nat-most = 2",
            "equal = nan",
            "equal = 1\ntolerance = -1",
            "equal = 1\ntolerance = inf",
            "range = [-1, 1]\nno-effect = 0",
            "range = [3, 5]\ntolerance = 3\nno-effect = 0",
            "at-least = -1\nno-effect = 0",
            "about = 3",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
