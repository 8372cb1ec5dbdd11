//! Enums whose variants have a fixed name.

/// Defines an enum with one name per variant, which files, JSON and flags share.
///
/// The crate that uses it needs serde and schemars. Further attributes, such as `#[derive(Default)]`,
/// stand above the enum as usual.
#[macro_export]
macro_rules! named_enum {
    ($(#[$about:meta])* $visibility:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema,
        )]
        $visibility enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// The names of all variants, in order of declaration.
            pub const NAMES: [&'static str; [$($text,)*].len()] = [$($text,)*];

            /// All variants, in order of declaration.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$variant,)*];

            /// Name in files, JSON and flags.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Returns the variant with this name.
            pub fn of(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.name() == name)
            }
        }
    };
}
