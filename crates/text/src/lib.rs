//! What a person or a model reads
