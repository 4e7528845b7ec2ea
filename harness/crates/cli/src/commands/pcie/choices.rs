//! The words of this command's options.

/// Sizes to go through: `FIRST-LAST` or `FIRST-LAST/STEP`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    first: u64,
    last: u64,
    step: u64,
}

/// Most sizes of a sweep; ours, more than a figure can show.
const MOST_SIZES: u64 = 100_000;

impl Sweep {
    /// All of its sizes.
    pub fn sizes(self) -> impl Iterator<Item = u64> {
        let steps = (self.last - self.first) / self.step;
        (0..=steps).map(move |number| self.first + number * self.step)
    }
}

impl std::str::FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (range, step) = text.split_once('/').unwrap_or((text, "1"));
        let form = || format!("'{text}' is not FIRST-LAST[/STEP], such as 0-256 or 8-4KiB/8");
        let (first, last) = range.split_once('-').ok_or_else(form)?;
        let bytes = crate::arguments::bytes;
        let (first, last, step) = (bytes(first)?, bytes(last)?, bytes(step)?);
        if step == 0 {
            return Err("a step of 0: it is at least 1".to_owned());
        }
        if last < first {
            return Err(format!("{first} to {last} descends: give the smaller size first"));
        }
        if (last - first) / step >= MOST_SIZES {
            return Err(format!("'{text}' has more than {MOST_SIZES} sizes: take a longer step"));
        }
        Ok(Self { first, last, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_has_its_first_size_and_what_steps_reach() {
        let sizes = |text: &str| text.parse().map(|sweep: Sweep| sweep.sizes().collect::<Vec<_>>());
        assert_eq!(sizes("0-3"), Ok(vec![0, 1, 2, 3]));
        assert_eq!(sizes("8-4KiB/2KiB"), Ok(vec![8, 2056]));
        for (wrong, told) in [
            ("8", "FIRST-LAST"),
            ("9-8", "descends"),
            ("1-8/0", "at least 1"),
            ("0-1GiB", "longer step"),
            ("a-8", "no unit of memory"),
        ] {
            let error = sizes(wrong).unwrap_err();
            assert!(error.contains(told), "{wrong}: {error}");
        }
    }
}
