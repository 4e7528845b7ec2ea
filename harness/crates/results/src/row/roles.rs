//! What a column says of its row.

/// Declares the row of a table. Each column stands in a group that is its role: it says which row
/// it is (`identity`), what was set (`factor`), or what came out (`outcome`). There is no column
/// without one. A `label` is the name of an axis.
///
/// With a file and its versions the row is a table's and begins with its version; with a file alone it
/// is that of a table beside a record, which has it; with neither, columns behind those of another row.
macro_rules! table_row {
    (
        $(#[$about:meta])+
        $row:ident $(in $file:literal $(, $versions:ident)?)?;
        $( $role:ident { $(
            $(#[$doc:meta])+
            $column:ident: $type:ty $(, since $since:literal)? $(, label $label:tt)? $(, rules $rules:tt)?;
        )+ } )+
    ) => {
        #[derive(
            Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        $(#[$about])+
        pub struct $row {
            $($(
                /// Version of this format.
                #[schemars(extend("x-role" = "identity", "enum" = crate::version::$versions.all()))]
                pub schema_version: u32,
            )?)?
            $($(
                $(#[$doc])+
                #[schemars(extend("x-role" = stringify!($role)))]
                $(#[schemars(extend("x-label" = $label))])?
                pub $column: $type,
            )+)+
        }

        #[allow(dead_code, reason = "only what is a table's row needs it")]
        impl $row {
            /// Columns that the oldest version lacks.
            const LATER: &'static [(&'static str, u32)] =
                &[$($($((stringify!($column), $since),)?)+)+];
        }

        impl $crate::row::rules::HasRules for $row {
            const RULED: &'static [$crate::row::rules::Ruled<Self>] =
                &[$($($crate::row::rules::ruled_column!($column, $($rules)?)),+),+];
        }

        $(
            impl $crate::table::Row for $row {
                const FILE: &'static str = $file;
                const SINCE: &'static [(&'static str, u32)] = Self::LATER;
                $(
                    const VERSIONED: $crate::table::Versioned =
                        $crate::table::Versioned::EveryRow($crate::version::$versions);
                )?

                fn broken_rule(&self) -> Option<(&'static str, String)> {
                    $crate::row::rules::broken(self)
                }

                fn rules() -> Vec<(&'static str, &'static [$crate::row::Rule])> {
                    $crate::row::rules::rules_of::<Self>()
                }
            }
        )?

        $( $crate::row::roles::role!($role); )+
    };
}

/// Refuses what is no role.
macro_rules! role {
    (identity) => {};
    (factor) => {};
    (outcome) => {};
}

pub(crate) use {role, table_row};
