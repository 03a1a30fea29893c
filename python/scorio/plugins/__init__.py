"""What other tools load: pytest by its entry point, and inspect_ai; lm-evaluation-harness by the file of a task."""
