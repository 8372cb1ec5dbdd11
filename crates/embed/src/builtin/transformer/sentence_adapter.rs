//! A fine-tuning of a transformer's last layers that assigns a class to one sentence.
//!
//! The file starts with `CMS1`, the rank, the number of layers that stay as they are, the number of
//! contexts and the number of classes, followed by a vector per context, the additions to the other
//! layers and the classifier.

use super::adapter::AdapterLayer;
use super::weights::FEATURES;
use crate::Error;
use crate::builtin::bytes::{WeightReader, floats};

/// The fine-tuning of a model that assigns a class to a sentence.
#[derive(Debug)]
pub struct SentenceAdapter {
    /// Number of layers that are applied without additions.
    pub first: usize,
    /// Vector of each context, which is added to the start token after these layers.
    pub contexts: Vec<Vec<f32>>,
    /// Additions to the layers after them, in the order of their application.
    pub layers: Vec<AdapterLayer>,
    /// Weights of each class for the start token's vector, followed by those for the mean of all
    /// tokens' vectors.
    pub classes: Vec<Vec<f32>>,
    pub class_bias: Vec<f32>,
}

impl SentenceAdapter {
    /// Reads the fine-tuning of a model with `layers` layers.
    pub fn read(mut file: WeightReader, layers: usize) -> Result<Self, Error> {
        if file.array()? != *b"CMS1" {
            return Err(file.damaged("it is not an adapter for sentences".to_owned()));
        }
        let mut number = || Ok::<_, Error>(u32::from_le_bytes(file.array()?) as usize);
        let (rank, first, contexts, classes) = (number()?, number()?, number()?, number()?);
        let Some(changed) = layers.checked_sub(first) else {
            return Err(file.damaged(format!("it leaves {first} of {layers} layers as they are")));
        };
        let contexts = rows(&mut file, contexts, FEATURES)?;
        let layers = (0..changed).map(|_| AdapterLayer::read(&mut file, rank)).collect::<Result<_, _>>()?;
        let classes = rows(&mut file, classes, 2 * FEATURES)?;
        let class_bias = floats(file.take(classes.len() * 4)?);
        match file.rest().len() {
            0 => Ok(Self { first, contexts, layers, classes, class_bias }),
            more => Err(file.damaged(format!("{more} unexpected bytes after its end"))),
        }
    }
}

/// Reads `count` rows of `length` numbers.
fn rows(file: &mut WeightReader, count: usize, length: usize) -> Result<Vec<Vec<f32>>, Error> {
    (0..count).map(|_| Ok(floats(file.take(length * 4)?))).collect()
}
