//! Enumerations of ARM: compared without regard to letter case (R12), unknown words kept.

/// A word of an ARM enumeration.
pub(crate) trait Word: Sized {
    fn word(text: &str) -> Self;
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($variant,)*
            /// A word that this version does not know, as written.
            Other(Box<str>),
        }

        impl $name {
            /// The word as Azure's documentation spells it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl $crate::model::word::Word for $name {
            fn word(text: &str) -> Self {
                $(if text.eq_ignore_ascii_case($text) { return Self::$variant; })*
                Self::Other(text.into())
            }
        }
    )*};
}

pub(crate) use words;

words! {
    /// `provisioningState` of any resource.
    ProvisioningState {
        Succeeded = "Succeeded", Updating = "Updating", Deleting = "Deleting", Failed = "Failed",
        Creating = "Creating", Accepted = "Accepted", Canceled = "Canceled",
    }
}
