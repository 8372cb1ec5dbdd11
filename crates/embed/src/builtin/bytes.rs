//! Reads the numbers of a file of weights, piece after piece, and says where the file ends too soon.

use crate::Error;

/// A part of a file of weights that is yet to be read.
#[derive(Debug, Clone)]
pub struct Reader {
    model: &'static str,
    rest: &'static [u8],
}

impl Reader {
    /// All of a file of the weights of a model.
    pub fn new(model: &'static str, bytes: &'static [u8]) -> Self {
        Self { model, rest: bytes }
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'static [u8], Error> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(
                self.damaged(format!("{count} bytes are to follow, and there are {}", self.rest.len()))
            );
        };
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes, as many as there are parts of an array.
    pub fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Error> {
        let mut array = [0; COUNT];
        array.copy_from_slice(self.take(COUNT)?);
        Ok(array)
    }

    /// What is left.
    pub fn rest(&self) -> &'static [u8] {
        self.rest
    }

    /// The error that says what is wrong with the weights.
    pub fn damaged(&self, why: String) -> Error {
        Error::Damaged { model: self.model.to_owned(), why }
    }
}

/// The numbers that bytes hold, four each.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()
}
