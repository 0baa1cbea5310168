"""What a user of the controller can mend; no message quotes a unit's text."""

from ..trajectories.errors import StopruleError


class RetrievalError(StopruleError):
    """Raised when a collection, an index, a tool or a budget is not usable as given."""


class RequestError(RetrievalError):
    """Raised when a request lacks a field, or carries one that the decision may not read."""
