"""Extensions that other tools load: pytest and inspect_ai by entry points, lm-evaluation-harness by a task's file."""
