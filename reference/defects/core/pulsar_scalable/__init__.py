"""The core's defects, as the reference of scalable topics has them."""
