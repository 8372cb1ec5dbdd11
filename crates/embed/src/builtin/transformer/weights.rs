//! Weights of the transformer. The file starts with `CMT1` and eight numbers for the shape,
//! followed by the matrices.

use super::quantized::{Quantized, Width};
use crate::Error;
use crate::builtin::bytes::{WeightReader, floats};

/// Number of features of a token's vector and of the resulting text vector.
pub const FEATURES: usize = 384;
/// Number of attention heads. Each uses an equal share of the features.
pub const HEADS: usize = 12;
/// Number of features of the hidden layer in the feed-forward step.
pub const HIDDEN: usize = 1536;
/// Maximum number of token positions in a text.
const MAX_POSITIONS: usize = 512;

/// Layers and quantization of a model, which its file must confirm.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub layers: usize,
    /// Quantization of token embeddings.
    pub tokens: Width,
    /// Quantization of the matrices in all layers.
    pub matrices: Width,
}

/// All weights of the model.
#[derive(Debug)]
pub struct Weights {
    /// Token embeddings.
    pub tokens: Quantized,
    /// Position embeddings, with the token type embedding added.
    pub places: Quantized,
    /// Normalization of the summed embeddings.
    pub norm: LayerNorm,
    /// Layers, in the order of their application.
    pub layers: Vec<TransformerLayer>,
}

/// A transformer layer: self-attention, then a feed-forward step per token.
#[derive(Debug)]
pub struct TransformerLayer {
    /// Projection of a token to query, key and value.
    pub attention: Linear,
    /// Projection of the attention output, which is added to the token.
    pub seen: Linear,
    /// Normalization after attention.
    pub seen_norm: LayerNorm,
    /// Feed-forward map from a token to the hidden layer.
    pub up: Linear,
    /// Feed-forward map from the hidden layer to the vector added to the token.
    pub down: Linear,
    /// Normalization after the feed-forward step.
    pub down_norm: LayerNorm,
}

/// A linear map with one matrix row and one bias per output feature.
#[derive(Debug)]
pub struct Linear {
    pub matrix: Quantized,
    pub bias: Vec<f32>,
}

/// Parameters of a layer normalization.
#[derive(Debug)]
pub struct LayerNorm {
    /// Scale per feature.
    pub scale: Vec<f32>,
    /// Offset per feature.
    pub shift: Vec<f32>,
}

impl Weights {
    /// Reads the weights of a model with a vocabulary of `tokens` tokens.
    pub fn read(mut file: WeightReader, shape: Shape, tokens: usize) -> Result<Self, Error> {
        let Shape { layers, tokens: width, matrices } = shape;
        let mut header = vec![u32::from_le_bytes(*b"CMT1")];
        header.extend([tokens, FEATURES, layers, HEADS, HIDDEN].map(|number| number as u32));
        // The bits of token vectors, attention and feed-forward steps.
        header.extend([width.bits(), matrices.bits(), matrices.bits()].map(|bits| bits as u32));
        for expected in header {
            let found = u32::from_le_bytes(file.array()?);
            if found != expected {
                return Err(file.damaged(format!("its header has {found}, expected {expected}")));
            }
        }
        let weights = Self {
            tokens: Quantized::read(&mut file, tokens, FEATURES, width)?,
            places: Quantized::read(&mut file, MAX_POSITIONS, FEATURES, Width::Eight)?,
            norm: LayerNorm::read(&mut file)?,
            layers: (0..layers)
                .map(|_| TransformerLayer::read(&mut file, matrices))
                .collect::<Result<_, _>>()?,
        };
        match file.rest().len() {
            0 => Ok(weights),
            more => Err(file.damaged(format!("{more} unexpected bytes after its end"))),
        }
    }
}

impl TransformerLayer {
    fn read(file: &mut WeightReader, width: Width) -> Result<Self, Error> {
        Ok(Self {
            attention: Linear::read(file, FEATURES, 3 * FEATURES, width)?,
            seen: Linear::read(file, FEATURES, FEATURES, width)?,
            seen_norm: LayerNorm::read(file)?,
            up: Linear::read(file, FEATURES, HIDDEN, width)?,
            down: Linear::read(file, HIDDEN, FEATURES, width)?,
            down_norm: LayerNorm::read(file)?,
        })
    }
}

impl Linear {
    pub fn read(file: &mut WeightReader, from: usize, to: usize, width: Width) -> Result<Self, Error> {
        let matrix = Quantized::read(file, to, from, width)?;
        Ok(Self { matrix, bias: floats(file.take(to * 4)?) })
    }
}

impl LayerNorm {
    pub fn read(file: &mut WeightReader) -> Result<Self, Error> {
        Ok(Self { scale: floats(file.take(FEATURES * 4)?), shift: floats(file.take(FEATURES * 4)?) })
    }
}
