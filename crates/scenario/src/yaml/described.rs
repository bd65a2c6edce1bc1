//! What every resource in the YAML may say about itself, and the macro that puts it into each struct.

use serde_json::Value;

/// The part of a resource that all kinds share.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    pub name: &'a str,
    pub subscription: Option<&'a str>,
    pub resource_group: Option<&'a str>,
    pub location: Option<&'a str>,
    /// ARM properties that the short form has no key for, merged over `properties`; checked against Microsoft's
    /// models.
    pub properties: Option<&'a Value>,
    /// The same, but not checked: holes, values that ARM would refuse, fields newer than the models.
    pub unchecked: Option<&'a Value>,
    /// JSON pointers, relative to the resource, of what is taken out again.
    pub omit: &'a [String],
}

/// A resource of the YAML.
pub trait Described {
    fn head(&self) -> Head<'_>;
}

/// Declares a struct of the YAML: its own fields and those of [`Head`]. `serde` refuses unknown keys only where nothing is
/// flattened, hence a macro.
macro_rules! described {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        pub struct $name {
            pub name: String,
            pub subscription: Option<String>,
            pub resource_group: Option<String>,
            pub location: Option<String>,
            pub properties: Option<serde_json::Value>,
            pub unchecked: Option<serde_json::Value>,
            pub omit: Vec<String>,
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl crate::yaml::Described for $name {
            fn head(&self) -> crate::yaml::Head<'_> {
                crate::yaml::Head {
                    name: &self.name,
                    subscription: self.subscription.as_deref(),
                    resource_group: self.resource_group.as_deref(),
                    location: self.location.as_deref(),
                    properties: self.properties.as_ref(),
                    unchecked: self.unchecked.as_ref(),
                    omit: &self.omit,
                }
            }
        }
    };
}

/// Declares a struct of the YAML that is no resource of its own.
macro_rules! part {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }
    };
}
