//! A fine-tuning of a transformer as low-rank additions to its matrices (LoRA, Hu et al. 2021).
//!
//! The file starts with `CMA1` and the rank, followed by the addition for the second text, the layers
//! and the classifier.

use super::quantized::{Quantized, Width};
use super::weights::{FEATURES, HIDDEN, LayerNorm, Linear};
use crate::Error;
use crate::builtin::bytes::{WeightReader, floats};

/// Number of classes.
pub const CLASSES: usize = 3;

/// The fine-tuning of a model that reads two texts as one and assigns a class to them.
#[derive(Debug)]
pub struct Adapter {
    /// Vector that is added to each token of the second text.
    pub second: Vec<f32>,
    /// Normalization that replaces that of the summed embeddings.
    pub norm: LayerNorm,
    /// Additions to the layers, in the order of their application.
    pub layers: Vec<AdapterLayer>,
    /// Maps the vector of the start token to that from which the class is computed.
    pub pooled: Linear,
    /// Score of each class: a row of weights per class.
    pub classes: [Vec<f32>; CLASSES],
    pub class_bias: Vec<f32>,
}

/// Additions to one layer.
#[derive(Debug)]
pub struct AdapterLayer {
    pub attention: LowRank,
    pub seen: LowRank,
    pub seen_norm: LayerNorm,
    pub up: LowRank,
    pub down: LowRank,
    pub down_norm: LayerNorm,
}

/// An addition to a linear map: the product of two narrow matrices, and a change of the bias.
#[derive(Debug)]
pub struct LowRank {
    /// Maps the input to as many features as the rank. Its bias is zero.
    pub narrow: Linear,
    /// Maps these to the output.
    pub wide: Linear,
}

impl Adapter {
    /// Reads the fine-tuning of a model with `layers` layers.
    pub fn read(mut file: WeightReader, layers: usize) -> Result<Self, Error> {
        let magic = u32::from_le_bytes(file.array()?);
        if magic != u32::from_le_bytes(*b"CMA1") {
            return Err(file.damaged("it is not an adapter".to_owned()));
        }
        let rank = u32::from_le_bytes(file.array()?) as usize;
        let second = floats(file.take(FEATURES * 4)?);
        let norm = LayerNorm::read(&mut file)?;
        let layers = (0..layers).map(|_| AdapterLayer::read(&mut file, rank)).collect::<Result<_, _>>()?;
        let pooled = Linear::read(&mut file, FEATURES, FEATURES, Width::Eight)?;
        let mut class = || Ok::<_, Error>(floats(file.take(FEATURES * 4)?));
        let classes = [class()?, class()?, class()?];
        let class_bias = floats(file.take(CLASSES * 4)?);
        match file.rest().len() {
            0 => Ok(Self { second, norm, layers, pooled, classes, class_bias }),
            more => Err(file.damaged(format!("{more} unexpected bytes after its end"))),
        }
    }
}

impl AdapterLayer {
    /// Reads the additions to one layer.
    pub fn read(file: &mut WeightReader, rank: usize) -> Result<Self, Error> {
        Ok(Self {
            attention: LowRank::read(file, FEATURES, rank, 3 * FEATURES)?,
            seen: LowRank::read(file, FEATURES, rank, FEATURES)?,
            seen_norm: LayerNorm::read(file)?,
            up: LowRank::read(file, FEATURES, rank, HIDDEN)?,
            down: LowRank::read(file, HIDDEN, rank, FEATURES)?,
            down_norm: LayerNorm::read(file)?,
        })
    }
}

impl LowRank {
    fn read(file: &mut WeightReader, from: usize, rank: usize, to: usize) -> Result<Self, Error> {
        let matrix = Quantized::read(file, rank, from, Width::Eight)?;
        let narrow = Linear { matrix, bias: vec![0.0; rank] };
        Ok(Self { narrow, wide: Linear::read(file, rank, to, Width::Eight)? })
    }
}
