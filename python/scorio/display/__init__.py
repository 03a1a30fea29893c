"""How results look: text, HTML, a progress bar. Knows nothing of metrics; anything may use it."""
