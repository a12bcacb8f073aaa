//! Indices with types of their own: a device is not an op, though both are counted from zero.

/// Declares the index type of a list: what it indexes is said once, where it is declared. It is a whole number in JSON and in
/// messages, and indexes slices and vectors.
#[macro_export]
macro_rules! index_type {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(
            Clone,
            Copy,
            Debug,
            Default,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            serde::Serialize,
            serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub usize);

        impl $name {
            /// The first so many, in order.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..count).map($name)
            }

            /// The entries of a list that is indexed by this, each with its index.
            pub fn of<T>(list: &[T]) -> impl DoubleEndedIterator<Item = (Self, &T)> + ExactSizeIterator {
                list.iter().enumerate().map(|(index, entry)| ($name(index), entry))
            }
        }

        // The number alone: what it indexes is said where it stands.
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                usize::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                usize::json_schema(generator)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl<T> std::ops::Index<$name> for [T] {
            type Output = T;

            fn index(&self, index: $name) -> &T {
                &self[index.0]
            }
        }

        impl<T> std::ops::IndexMut<$name> for [T] {
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.0]
            }
        }

        impl<T> std::ops::Index<$name> for Vec<T> {
            type Output = T;

            fn index(&self, index: $name) -> &T {
                &self[index.0]
            }
        }

        impl<T> std::ops::IndexMut<$name> for Vec<T> {
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.0]
            }
        }
    };
}
