//! A fine-tuning of all layers of a transformer that embeds texts of one kind in another way.
//!
//! The file starts with `CME1` and the rank, followed by the additions to the layers.

use super::adapter::AdapterLayer;
use crate::Error;
use crate::builtin::bytes::WeightReader;

/// The fine-tuning of a model that embeds texts.
#[derive(Debug)]
pub struct EncoderAdapter {
    /// Additions to the layers, in the order of their application.
    pub layers: Vec<AdapterLayer>,
}

impl EncoderAdapter {
    /// Reads the fine-tuning of a model with `layers` layers.
    pub fn read(mut file: WeightReader, layers: usize) -> Result<Self, Error> {
        if file.array()? != *b"CME1" {
            return Err(file.damaged("it is not an adapter for texts".to_owned()));
        }
        let rank = u32::from_le_bytes(file.array()?) as usize;
        let layers = (0..layers).map(|_| AdapterLayer::read(&mut file, rank)).collect::<Result<_, _>>()?;
        match file.rest().len() {
            0 => Ok(Self { layers }),
            more => Err(file.damaged(format!("{more} unexpected bytes after its end"))),
        }
    }
}
