//! The whole resolved configuration of one run, as it is written into the run table and the record.

mod check;
mod meaningless;

pub use check::{ConfigurationError, Fault};

pub use crate::factors::RunConfiguration;

impl RunConfiguration {
    /// Names of the fields as written, in their order.
    pub fn fields() -> &'static [&'static str] {
        crate::columns::<Self>()
    }

    /// Names of the fields that a design may vary: all but those that say which run it is.
    pub fn factors() -> impl Iterator<Item = &'static str> {
        Self::fields().iter().copied().filter(|field| !Self::IDENTITY.contains(field))
    }

    /// The factors that are not at their default, with their levels as they are written.
    ///
    /// # Panics
    /// Never: a configuration is plain values.
    pub fn changed(&self) -> Vec<(&'static str, String)> {
        let values = |run| serde_json::to_value(run).expect("plain values");
        let (own, default) = (values(self), values(&Self::default()));
        let level = |factor| own[factor].as_str().map_or(own[factor].to_string(), str::to_owned);
        Self::factors()
            .filter(|factor| own[factor] != default[factor])
            .map(|factor| (factor, level(factor)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_possible_and_survives_json() {
        let configuration = RunConfiguration::default();
        configuration.check().unwrap();
        let text = serde_json::to_string(&configuration).unwrap();
        assert!(text.contains("\"loop\":\"closed\""), "{text}");
        assert_eq!(serde_json::from_str::<RunConfiguration>(&text).unwrap(), configuration);
    }

    #[test]
    fn a_field_that_does_not_exist_is_refused() {
        let mut value = serde_json::to_value(RunConfiguration::default()).unwrap();
        value["queue_pair"] = 3.into();
        let error = serde_json::from_value::<RunConfiguration>(value).unwrap_err().to_string();
        assert!(error.contains("unknown field `queue_pair`"), "{error}");
    }

    #[test]
    fn factors_are_the_fields_without_those_that_name_the_run() {
        let factors: Vec<_> = RunConfiguration::factors().collect();
        assert_eq!(
            factors.len(),
            RunConfiguration::fields().len() - RunConfiguration::IDENTITY.len()
        );
        assert_eq!(factors[0], "operation");
        assert!(factors.contains(&"loop") && !factors.contains(&"seed"));
    }
}
