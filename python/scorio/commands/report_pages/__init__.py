"""A report as a page of HTML, or as text."""

from .pages import document, fragment, page

__all__ = ["document", "fragment", "page"]
