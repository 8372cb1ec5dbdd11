//! Empty until its part is built.
