"""Reading of outcomes in any form that a user may pass as R: each is checked once and becomes integer counts."""
