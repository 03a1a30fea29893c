"""The only code that looks at outcomes: whatever a user has for R becomes integer counts."""
