//! Words of the command line.

use clap::ValueEnum;

/// What is not fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HoldOut {
    /// A share of the design points, both localities of each
    DesignPoints,
    /// The experiments that are named
    Experiments,
    /// Everything: nothing is fitted
    Everything,
}

impl HoldOut {
    /// As it is asked for.
    pub fn word(self) -> String {
        let value = self.to_possible_value().expect("none of them is hidden");
        value.get_name().to_owned()
    }
}
