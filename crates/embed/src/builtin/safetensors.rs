//! Reads a table of word vectors from a safetensors file: rows of 8-bit integers and one scale per
//! row.
//!
//! Only the part of the format that this file uses is supported.

use serde::Deserialize;

use super::bytes::{WeightReader, floats};
use crate::Error;

/// A table of quantized vectors. A vector is its row times its scale.
#[derive(Debug)]
pub struct QuantizedTable {
    /// Concatenated rows.
    pub rows: &'static [i8],
    /// Scale of each row.
    pub scales: Vec<f32>,
}

/// Header of the file, which describes the tensors.
#[derive(Deserialize)]
struct Header {
    embeddings: Tensor,
    weights: Tensor,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Reads a table of the given number of rows and columns.
pub fn table(mut file: WeightReader, rows: usize, columns: usize) -> Result<QuantizedTable, Error> {
    let length = u64::from_le_bytes(file.array()?);
    let header = file.take(usize::try_from(length).unwrap_or(usize::MAX))?;
    let header: Header = serde_json::from_slice(header)
        .map_err(|error| file.damaged(format!("cannot read its header: {error}")))?;
    let codes = header.embeddings.bytes(&file, "embeddings", "I8", &[rows, columns], 1)?;
    let scales = floats(header.weights.bytes(&file, "weights", "F32", &[rows], 4)?);
    if scales.iter().any(|scale| !scale.is_finite()) {
        return Err(file.damaged("a scale is not a number".to_owned()));
    }
    Ok(QuantizedTable { rows: bytemuck::cast_slice(codes), scales })
}

impl Tensor {
    /// Returns the bytes of the tensor, after checking its type and shape.
    fn bytes(
        &self,
        file: &WeightReader,
        name: &str,
        dtype: &str,
        shape: &[usize],
        width: usize,
    ) -> Result<&'static [u8], Error> {
        if self.dtype != dtype || self.shape != shape {
            let (found, sides) = (&self.dtype, &self.shape);
            return Err(file.damaged(format!("`{name}` is {found} {sides:?}, expected {dtype} {shape:?}")));
        }
        let [from, to] = self.data_offsets;
        let bytes = file.rest().get(from..to);
        bytes.filter(|bytes| bytes.len() == shape.iter().product::<usize>() * width).ok_or_else(|| {
            file.damaged(format!("`{name}` should be at {from}..{to} of {}", file.rest().len()))
        })
    }
}
