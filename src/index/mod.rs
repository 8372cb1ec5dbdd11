//! Derived and disposable: what is known of the notes without reading them again.
