"""A report as a page of HTML, or as text."""

from .pages import document, page

__all__ = ["document", "page"]
