"""One question about an evaluation, one function, one frozen result: everything is computed here, once."""
