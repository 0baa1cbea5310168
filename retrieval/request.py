"""What may be asked: the query, its identity and the trusted view; nothing else reaches a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from .errors import RequestError
from .units import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One query of one caller.

    Attributes
    ----------
    query : str
        As it was asked; every search gets it unchanged.
    id : str
        Its stable identity: the same in every policy and in every recording.
    view : View
        Which units this caller may see, at which revision.

    Raises
    ------
    RequestError
        When the query or the identity is empty, or the view cannot be asked for a revision.
    """

    query: str
    id: str
    view: View

    def __post_init__(self) -> None:
        for name in ("query", "id"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise RequestError(f"request field {name!r} is no text; give a text that is not blank")
        if not callable(getattr(self.view, "revision", None)):
            raise RequestError("request field 'view' has no revision(unit); give a Snapshot or a LiveView")

    @classmethod
    def read(cls, given: Mapping[str, object]) -> Request:
        """A request from named fields; an added one is refused by name, a relevance judgement above all."""
        return cls(**read_fields(given, tuple(field.name for field in fields(cls))))  # type: ignore[arg-type]


def read_fields(given: Mapping[str, object], names: tuple[str, ...]) -> dict[str, object]:
    """The fields of these names, each given once and none beside them."""
    added = sorted(set(given) - set(names))
    if added:
        raise RequestError(
            f"request field {added[0]!r} is refused: a decision reads {', '.join(names)} only; "
            "take it out (judgements belong to the evaluation afterwards)"
        )
    for name in names:
        if name not in given:
            raise RequestError(f"request field {name!r} is missing; give {', '.join(names)}")
    return dict(given)


def checked_request(request: Request | Mapping[str, object]) -> Request:
    """A request proper: a subclass could carry a field that `Request` refuses, so it is refused as well."""
    if type(request) is Request:
        return request
    if isinstance(request, Mapping):
        return Request.read(request)
    raise RequestError(f"request is a {type(request).__name__}; give a Request or its fields")
