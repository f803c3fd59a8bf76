"""The laws of the checker as plain functions: sorted arrays in, witnesses out."""
