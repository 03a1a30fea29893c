"""Readers of logs: files, folders, archives, URLs, frames and objects in memory become an evaluation."""
