//! How long one dependent load takes.
