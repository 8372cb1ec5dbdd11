//! The models that lie in the program: no network, no runtime, no file beside it.
//!
//! [`Static`] looks a vector up for each token and takes a tenth of a millisecond; [`MiniLm`] reads the whole text and
//! takes some. They know English best, and neither knows upper case.

mod bytes;
#[cfg(test)]
mod golden;
mod minilm;
mod safetensors;
mod static_model;
mod wordpiece;

pub use minilm::MiniLm;
pub use static_model::Static;
