//! What the declarations of factors are made into.
//!
//! [`declare`] reads them; [`with_columns`], which it defines, hands their columns to [`row`], which
//! makes the row types.

/// How a factor becomes a cell: as it is, or as one of a column in which it may be unknown.
pub(super) trait Column<F> {
    /// The cell of a factor that is known.
    fn known(factor: F) -> Self;
    /// The cell where the source does not say it, or it means nothing: empty where the column
    /// allows it, the default elsewhere.
    fn unknown(default: F) -> Self;
    /// The factor of a cell; the default where it is unknown.
    fn factor(self, default: F) -> F;
    /// Whether the cell says something of a factor that means nothing unless it is set.
    fn is_said(&self, default: F) -> bool;
}

impl<T: PartialEq> Column<T> for T {
    fn known(factor: T) -> Self {
        factor
    }

    fn unknown(default: T) -> Self {
        default
    }

    fn factor(self, _: T) -> T {
        self
    }

    fn is_said(&self, default: T) -> bool {
        *self != default
    }
}

impl<T> Column<T> for Option<T> {
    fn known(factor: T) -> Self {
        Some(factor)
    }

    fn unknown(_: T) -> Self {
        None
    }

    fn factor(self, default: T) -> T {
        self.unwrap_or(default)
    }

    fn is_said(&self, _: T) -> bool {
        self.is_some()
    }
}

/// Makes of the declarations the configuration, its default, what is seen of it, all columns of
/// factors, and `with_columns`. The `$` is for the macro that this one defines.
macro_rules! declare {
    (
        ($d:tt)
        $(#[$($about:tt)*])+
        configuration
        identity { $(
            $(#[$($identity_doc:tt)*])+
            $identity:ident: $identity_type:ty = $identity_default:expr
                $(, within $identity_least:literal to $identity_most:literal)?;
        )+ }
        $(
            $(#[$($doc:tt)*])+
            $field:ident: $type:ty = $default:expr,
            column $column:ty $(, as $written:tt)? $(, since $since:tt)? $(, added $added:tt)?,
            $(within $least:literal to $most:literal,)?
            label $label:tt $(, level $level:tt)?
            $(, only $decider:ident |$run:ident| $only:expr)?
            $(, negotiated $agreed:expr)?
            $(,
                seen $(#[$($seen_doc:tt)*])+
                $seen:ident: $seen_type:ty = $unknown:expr,
                label $seen_label:tt $(, level $seen_level:tt)?
            )?
            ;
        )+
    ) => {
        $(#[$($about)*])+
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct RunConfiguration {
            $(
                $(#[$($identity_doc)*])+
                #[schemars(extend("x-role" = "identity"))]
                pub $identity: $identity_type,
            )+
            $(
                $(#[$($doc)*])+
                $(#[serde(rename = $written)])?
                #[schemars(extend("x-role" = "factor"))]
                pub $field: $type,
            )+
        }

        /// One thread with one queue pair reads 8 bytes in a closed loop for two seconds.
        impl Default for RunConfiguration {
            fn default() -> Self {
                Self { $($identity: $identity_default,)+ $($field: $default,)+ }
            }
        }

        impl HasRules for RunConfiguration {
            const RULED: &'static [Ruled<Self>] = &[
                $($(ruled_column!($identity, [Within($identity_least, $identity_most)]),)?)+
                $($(ruled_column!($field, [Within($least, $most)]),)?)+
            ];
        }

        impl RunConfiguration {
            /// Names of the fields that say which run it is rather than what it does.
            pub(crate) const IDENTITY: &[&str] = &[$(stringify!($identity)),+];

            /// Names of the fields in the program, in their order.
            const NAMES: &[&str] = &[$(stringify!($identity),)+ $(stringify!($field)),+];

            /// What says something that means nothing beside the rest.
            pub(crate) fn meaningless(&self) -> Vec<Meaningless> {
                let nothing = Self::default();
                let mut found = Vec::new();
                $($(
                    let means: fn(&Self) -> bool = |$run| $only;
                    if !means(self) && self.$field != nothing.$field {
                        found.push(Meaningless {
                            field: Self::written(stringify!($field)),
                            value: shown(&self.$field),
                            decider: Self::written(stringify!($decider)),
                            level: shown(&self.$decider),
                        });
                    }
                )?)+
                found
            }

            /// Sets to its default what means nothing because of one of these `deciders`, or because
            /// of what was set so.
            pub(crate) fn forget(&mut self, deciders: &[&'static str]) {
                let nothing = Self::default();
                let mut deciders = deciders.to_vec();
                $($(
                    let means: fn(&Self) -> bool = |$run| $only;
                    if deciders.contains(&stringify!($decider)) && !means(self) {
                        self.$field = nothing.$field;
                        deciders.push(stringify!($field));
                    }
                )?)+
            }

            /// The name under which a field is written.
            pub(crate) fn written(name: &str) -> &'static str {
                let at = Self::NAMES.iter().position(|known| *known == name);
                Self::fields()[at.expect("a field")]
            }
        }

        /// What came of a configuration, where others decide that.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each is documented as a column of the rows")]
        pub struct Seen {
            $(
                $(pub $field: seen_type!($column, $agreed),)?
                $(pub $seen: $seen_type,)?
            )+
        }

        /// Nothing is known.
        impl Default for Seen {
            fn default() -> Self {
                Self { $($($field: $agreed,)? $($seen: $unknown,)?)+ }
            }
        }

        /// The columns of all factors: what tells a run from those that it is no repetition of.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[expect(missing_docs, reason = "each is documented as a column of the rows")]
        pub struct Factors {
            $(pub $field: $column, $(pub $seen: $seen_type,)?)+
        }

        /// The type of each column, by its name.
        #[expect(non_camel_case_types, reason = "they are columns")]
        pub(crate) mod cells {
            use super::*;

            $(pub type $field = $column; $(pub type $seen = $seen_type;)?)+
        }

        impl Factors {
            /// Columns of what is seen, each with the factor that it comes of.
            pub const SEEN: &[(&str, &str)] =
                &[$($((stringify!($seen), stringify!($field)),)?)+];

            /// Factors that older records lack, each with the version that has it first.
            pub(crate) const ADDED: &[(&str, u32)] = &[$($((stringify!($field), $added),)?)+];

            /// Columns of factors that older tables lack, each with the version that has it first.
            pub(crate) const SINCE: &[(&str, u32)] = &[
                $($((stringify!($field), $since),)? $((stringify!($field), $added),)?)+
            ];

            /// The factors of a run of `run` of which this is seen.
            pub fn of(run: &RunConfiguration, seen: Seen) -> Self {
                Self { $(
                    $field: known!(run, seen, $field: $type, $column, [$(|$run| $only)?], [$($agreed)?]),
                    $($seen: seen.$seen,)?
                )+ }
            }

            /// A cell that says something which means nothing beside the others: the column, and what
            /// would be right.
            pub(crate) fn meaningless(&self) -> Option<(&'static str, String)> {
                let nothing = RunConfiguration::default();
                let run = self.clone().configuration(&nothing);
                $(
                    let decider: Option<Decider> = decider!(
                        self, nothing, $field: $type, $column, [$($decider, |$run| $only)?]
                    );
                    if let Some(decider) = decider.filter(|decider| !(decider.means)(&run)) {
                        if decider.is_said {
                            let column = RunConfiguration::written(stringify!($field));
                            return Some((column, decider.refusal(&run)));
                        }
                        $(
                            if self.$seen != $unknown {
                                return Some((stringify!($seen), decider.refusal(&run)));
                            }
                        )?
                    }
                )+
                None
            }

            /// The configuration that asks for this, as far as it is known; the rest is as in
            /// `default`, as is what was negotiated.
            pub fn configuration(self, default: &RunConfiguration) -> RunConfiguration {
                RunConfiguration {
                    $($field: asked!(self, default, $field: $type, $column, [$($agreed)?]),)+
                    ..default.clone()
                }
            }

            /// The factors of a run of which a source says nothing: what cannot be unknown is as in
            /// `run`.
            pub fn unknown(run: &RunConfiguration) -> Self {
                let seen = Seen::default();
                Self { $(
                    $field: unknown!(run, seen, $field: $type, $column, [$($agreed)?]),
                    $($seen: seen.$seen,)?
                )+ }
            }
        }

        /// Calls the macro `then` with `arguments` and every column of a factor.
        macro_rules! with_columns {
            ($d then:ident $d arguments:tt) => {
                $crate::factors::$d then! {
                    $d arguments
                    $(
                        {
                            $(#[$($doc)*])+
                            $field, [$($written)?], $label, [$($level)?], [$(Within($least, $most))?]
                        }
                        $({
                            $(#[$($seen_doc)*])+
                            $seen, [], $seen_label, [$($seen_level)?], [], $field
                        })?
                    )+
                }
            };
        }
        pub(crate) use with_columns;
    };
}

/// What decides whether a factor means anything, where something does.
macro_rules! decider {
    ($cells:ident, $nothing:ident, $field:ident: $type:ty, $column:ty, []) => {
        None
    };
    (
        $cells:ident, $nothing:ident, $field:ident: $type:ty, $column:ty,
        [$decider:ident, $means:expr]
    ) => {
        Some(Decider {
            name: stringify!($decider),
            means: $means,
            level: |run| shown(&run.$decider),
            is_said: <$column as Column<$type>>::is_said(&$cells.$field, $nothing.$field.clone()),
        })
    };
}

/// The type of what was negotiated.
macro_rules! seen_type {
    ($column:ty, $agreed:expr) => {
        $column
    };
}

/// The cell of a factor: what was negotiated, or what was asked for where that means something.
macro_rules! known {
    ($run:ident, $seen:ident, $field:ident: $type:ty, $column:ty, [], [$agreed:expr]) => {
        $seen.$field
    };
    ($run:ident, $seen:ident, $field:ident: $type:ty, $column:ty, [], []) => {
        <$column as Column<$type>>::known($run.$field.clone())
    };
    ($run:ident, $seen:ident, $field:ident: $type:ty, $column:ty, [$only:expr], []) => {{
        let means: fn(&RunConfiguration) -> bool = $only;
        let factor = $run.$field.clone();
        if means($run) {
            <$column as Column<$type>>::known(factor)
        } else {
            <$column as Column<$type>>::unknown(factor)
        }
    }};
}

/// The factor that a cell asks for.
macro_rules! asked {
    ($cells:ident, $run:ident, $field:ident: $type:ty, $column:ty, [$agreed:expr]) => {
        $run.$field
    };
    ($cells:ident, $run:ident, $field:ident: $type:ty, $column:ty, []) => {
        <$column as Column<$type>>::factor($cells.$field, $run.$field.clone())
    };
}

/// The cell of a factor that a source does not say.
macro_rules! unknown {
    ($run:ident, $seen:ident, $field:ident: $type:ty, $column:ty, [$agreed:expr]) => {
        $seen.$field
    };
    ($run:ident, $seen:ident, $field:ident: $type:ty, $column:ty, []) => {
        <$column as Column<$type>>::unknown($run.$field.clone())
    };
}

/// Columns of the one and of the other, which are `N` together.
pub(crate) const fn joined<const N: usize>(
    one: &[(&'static str, u32)],
    other: &[(&'static str, u32)],
) -> [(&'static str, u32); N] {
    assert!(one.len() + other.len() == N, "as many as there are");
    let mut all = [("", 0); N];
    let mut at = 0;
    while at < N {
        all[at] = if at < one.len() { one[at] } else { other[at - one.len()] };
        at += 1;
    }
    all
}

/// The name under which a field is written.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident as $written:tt) => {
        $written
    };
}

/// Makes a row of which some columns are those of all factors. Each column has a role: it names the
/// row (`identity`), is a factor, or came out of the run (`outcomes`).
macro_rules! row {
    (
        {
            $(#[$($about:tt)*])+
            $row:ident in $file:literal, $versions:ident;
            identity { $(
                $(#[$($identity_doc:tt)*])+
                $identity:ident: $identity_type:ty = $identity_unknown:expr;
            )+ }
            outcomes { $(
                $(#[$($outcome_doc:tt)*])+
                $outcome:ident: $outcome_type:ty = $outcome_unknown:expr
                    $(, since $outcome_since:literal)? $(, rules $outcome_rules:tt)?;
            )+ }
        }
        $({
            $(#[$($doc:tt)*])+
            $factor:ident, [$($written:tt)?], $label:tt, [$($level:tt)?], $bounds:tt
            $(, $asked:ident)?
        })+
    ) => {
        #[derive(
            Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        $(#[$($about)*])+
        pub struct $row {
            /// Version of this format.
            #[schemars(extend("x-role" = "identity", "enum" = crate::version::$versions.all()))]
            pub schema_version: u32,
            /// Where the numbers come from.
            #[schemars(extend("x-role" = "identity"))]
            pub source: Source,
            $(
                $(#[$($identity_doc)*])+
                #[schemars(extend("x-role" = "identity"))]
                pub $identity: $identity_type,
            )+
            $(
                $(#[$($doc)*])+
                $(#[serde(rename = $written)])?
                #[schemars(extend("x-role" = "factor", "x-label" = $label))]
                $(#[schemars(extend("x-level" = $level))])?
                $(#[schemars(extend("x-asked" = stringify!($asked)))])?
                pub $factor: $crate::factors::cells::$factor,
            )+
            $(
                $(#[$($outcome_doc)*])+
                #[schemars(extend("x-role" = "outcome"))]
                pub $outcome: $outcome_type,
            )+
        }

        impl $row {
            /// A row of which only `source` and `factors` are known.
            pub fn with(source: Source, factors: $crate::factors::Factors) -> Self {
                Self {
                    schema_version: $crate::version::$versions.written,
                    source,
                    $($identity: $identity_unknown,)+
                    $($factor: factors.$factor,)+
                    $($outcome: $outcome_unknown,)+
                }
            }

            /// Outcomes that the oldest version lacks, each with the version that has it first.
            const LATER: &'static [(&'static str, u32)] =
                &[$($((stringify!($outcome), $outcome_since),)?)+];

            /// Its factors.
            pub fn factors(&self) -> $crate::factors::Factors {
                $crate::factors::Factors { $($factor: self.$factor.clone(),)+ }
            }
        }

        impl $crate::row::rules::HasRules for $row {
            const RULED: &'static [$crate::row::rules::Ruled<Self>] = &[
                $($crate::row::rules::ruled_column!($factor, $bounds),)+
                $($crate::row::rules::ruled_column!($outcome, $($outcome_rules)?),)+
            ];
        }

        impl $crate::table::Row for $row {
            const FILE: &'static str = $file;
            const VERSIONED: $crate::table::Versioned = $crate::table::Versioned::EveryRow($crate::version::$versions);
            const SINCE: &'static [(&'static str, u32)] = &$crate::factors::joined::<
                { $crate::factors::Factors::SINCE.len() + Self::LATER.len() },
            >($crate::factors::Factors::SINCE, Self::LATER);

            fn broken_rule(&self) -> Option<(&'static str, String)> {
                $crate::row::rules::broken(self).or_else(|| self.factors().meaningless())
            }

            fn rules() -> Vec<(&'static str, &'static [$crate::row::Rule])> {
                $crate::row::rules::rules_of::<Self>()
            }

            fn columns() -> Vec<&'static str> {
                $crate::row::in_order(
                    &["schema_version", "source", $(stringify!($identity)),+],
                    &[$($crate::factors::name!($factor $(as $written)?)),+],
                    &[$(stringify!($outcome)),+],
                    Self::LATER,
                )
            }
        }
    };
}

pub(crate) use {asked, decider, declare, known, name, row, seen_type, unknown};
