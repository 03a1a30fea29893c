"""Commands: one file each, with the function, its result, what the result shows, and the options."""
