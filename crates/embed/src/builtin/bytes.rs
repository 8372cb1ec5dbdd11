//! Sequential reader for weight files. Reading past the end is an error.

use crate::Error;

/// The unread part of a weight file.
#[derive(Debug, Clone)]
pub struct WeightReader {
    model: &'static str,
    rest: &'static [u8],
}

impl WeightReader {
    /// Creates a reader for the complete weight file of a model.
    pub fn new(model: &'static str, bytes: &'static [u8]) -> Self {
        Self { model, rest: bytes }
    }

    /// Returns the next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'static [u8], Error> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.damaged(format!("{count} bytes expected, but only {} left", self.rest.len())));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Returns the next `COUNT` bytes as an array.
    pub fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Error> {
        let mut array = [0; COUNT];
        array.copy_from_slice(self.take(COUNT)?);
        Ok(array)
    }

    /// Returns all unread bytes.
    pub fn rest(&self) -> &'static [u8] {
        self.rest
    }

    /// Creates an error for invalid weights.
    pub fn damaged(&self, why: String) -> Error {
        Error::Damaged { model: self.model.to_owned(), why }
    }
}

/// Decodes little-endian 32-bit floats. A remainder of fewer than four bytes is ignored.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()
}
