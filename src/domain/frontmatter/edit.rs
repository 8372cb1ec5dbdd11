//! Lossless edits: changing one key changes that key's lines only.

use yaml_serde::Value;

/// One change of a note's text. All bytes that it does not speak of stay as they are.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Edit {
    /// Gives a top-level key this value; adds the key at the end where it is absent.
    Set {
        /// The key.
        key: String,
        /// Its new value.
        value: Value,
    },
    /// Removes a top-level key; nothing happens where it is absent.
    Remove {
        /// The key.
        key: String,
    },
    /// Adds an item at the end of a list, making the list where it is absent; nothing happens where an equal item is in it.
    Push {
        /// The list's key.
        key: String,
        /// The item.
        item: Value,
    },
    /// Removes the equal items of a list; the key goes with the last one.
    Pull {
        /// The list's key.
        key: String,
        /// The item.
        item: Value,
    },
    /// A new body, from after the closing `---` line on.
    SetBody {
        /// The text.
        text: String,
    },
    /// Text at the end of the body, after a line break where the body has none at its end.
    AppendBody {
        /// The text.
        text: String,
    },
}
