//! What the transformer has learnt, as it lies in its file: `CMT1`, eight numbers of shape, then matrix after matrix.

use super::quantized::{Quantized, Width};
use crate::Error;
use crate::builtin::bytes::{Reader, floats};

/// Parts of a token's vector within the model, and of a text's in the end.
pub const FEATURES: usize = 384;
/// Heads that look at other tokens, each at a share of the features.
pub const HEADS: usize = 12;
const LAYERS: usize = 6;
/// Parts of the hidden vector in the feed-forward step.
pub const HIDDEN: usize = 1536;
/// Places that a token can have in a text.
const PLACES: usize = 512;

/// All weights.
#[derive(Debug)]
pub struct Weights {
    /// A vector for each token.
    pub tokens: Quantized,
    /// A vector for each place, in which that of the kind of text is contained.
    pub places: Quantized,
    /// What is applied to their sum.
    pub norm: Norm,
    /// What is applied then, one after the other.
    pub layers: Vec<Layer>,
}

/// One layer: tokens look at one another, then each is worked on by itself.
#[derive(Debug)]
pub struct Layer {
    /// From a token to its query, key and value.
    pub attention: Linear,
    /// From what a token saw to what is added to it.
    pub seen: Linear,
    /// What is applied to that sum.
    pub seen_norm: Norm,
    /// From a token to the hidden vector.
    pub up: Linear,
    /// From the hidden vector to what is added to the token.
    pub down: Linear,
    /// What is applied to that sum.
    pub down_norm: Norm,
}

/// A linear map: a matrix of a row for each part that comes out, and what is added.
#[derive(Debug)]
pub struct Linear {
    /// The matrix.
    pub matrix: Quantized,
    /// What is added.
    pub bias: Vec<f32>,
}

/// How a token's vector is brought to a common mean and spread.
#[derive(Debug)]
pub struct Norm {
    /// The spread of each part.
    pub scale: Vec<f32>,
    /// The mean of each part.
    pub shift: Vec<f32>,
}

impl Weights {
    /// Reads the weights of a model with so many tokens.
    pub fn read(mut file: Reader, tokens: usize) -> Result<Self, Error> {
        let mut shape = vec![u32::from_le_bytes(*b"CMT1")];
        shape.extend([tokens, FEATURES, LAYERS, HEADS, HIDDEN].map(|number| number as u32));
        // The bits of token vectors, attention and feed-forward steps.
        shape.extend([4, 8, 8]);
        for expected in shape {
            let found = u32::from_le_bytes(file.array()?);
            if found != expected {
                return Err(file.damaged(format!("its head has {found} where {expected} should be")));
            }
        }
        let weights = Self {
            tokens: Quantized::read(&mut file, tokens, FEATURES, Width::Four)?,
            places: Quantized::read(&mut file, PLACES, FEATURES, Width::Eight)?,
            norm: Norm::read(&mut file)?,
            layers: (0..LAYERS).map(|_| Layer::read(&mut file)).collect::<Result<_, _>>()?,
        };
        match file.rest().len() {
            0 => Ok(weights),
            more => Err(file.damaged(format!("{more} bytes follow its end"))),
        }
    }
}

impl Layer {
    fn read(file: &mut Reader) -> Result<Self, Error> {
        Ok(Self {
            attention: Linear::read(file, FEATURES, 3 * FEATURES)?,
            seen: Linear::read(file, FEATURES, FEATURES)?,
            seen_norm: Norm::read(file)?,
            up: Linear::read(file, FEATURES, HIDDEN)?,
            down: Linear::read(file, HIDDEN, FEATURES)?,
            down_norm: Norm::read(file)?,
        })
    }
}

impl Linear {
    fn read(file: &mut Reader, from: usize, to: usize) -> Result<Self, Error> {
        let matrix = Quantized::read(file, to, from, Width::Eight)?;
        Ok(Self { matrix, bias: floats(file.take(to * 4)?) })
    }
}

impl Norm {
    fn read(file: &mut Reader) -> Result<Self, Error> {
        Ok(Self { scale: floats(file.take(FEATURES * 4)?), shift: floats(file.take(FEATURES * 4)?) })
    }
}
