"""Declared relationships: entities and relations, each with the unit that declares it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import RetrievalError
from .units import Collection, Reference, View, eligible


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with an exact identity, the names it goes by, and the unit that declares it."""

    id: str
    names: tuple[str, ...]
    source: Reference


@dataclass(frozen=True, slots=True)
class Relation:
    """``subject`` stands in this ``kind`` of relation to ``object``, as its source declares."""

    subject: str
    kind: str
    object: str
    source: Reference


@dataclass(frozen=True, slots=True)
class Hop:
    """An entity and the relation that led to it; None for the entity that a route starts at."""

    relation: Relation | None
    reached: Entity

    @property
    def sources(self) -> tuple[Reference, ...]:
        """Every unit that declares a part of this hop."""
        return (self.relation.source, self.reached.source) if self.relation else (self.reached.source,)


@dataclass(frozen=True)
class Graph:
    """Entities and relations beside the collection that holds their sources."""

    collection: Collection
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]

    @classmethod
    def read(cls, path: str | Path, collection: Collection) -> Graph:
        """Read ``{"entities": [{id, names, source}], "relations": [{subject, kind, object, source}]}``.

        A source is a unit's id; it stands for the revision that the collection holds.
        """
        try:
            declared = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls(
                collection,
                tuple(
                    Entity(entity["id"], tuple(entity["names"]), _source(entity, collection, path))
                    for entity in declared["entities"]
                ),
                tuple(
                    Relation(edge["subject"], edge["kind"], edge["object"], _source(edge, collection, path))
                    for edge in declared["relations"]
                ),
            )
        except json.JSONDecodeError as error:
            raise RetrievalError(f"{path}: line {error.lineno} is no JSON; mend it") from None
        except KeyError as error:
            raise RetrievalError(f"{path}: an entry lacks {error.args[0]!r}; add it") from None

    def starts(self, name: str) -> tuple[Hop, ...]:
        """The entities that have exactly this id or name, shown or not."""
        return tuple(Hop(None, entity) for entity in self.entities if name in (entity.id, *entity.names))

    def onward(self, subject: Entity, kind: str) -> tuple[Hop, ...]:
        """The relations of this kind from the subject, shown or not."""
        return tuple(
            Hop(relation, entity)
            for relation in self.relations
            if (relation.subject, relation.kind) == (subject.id, kind)
            for entity in self.entities
            if entity.id == relation.object
        )

    def shows(self, hop: Hop, view: View) -> bool:
        """Whether the view shows every source of a hop now, at the revision that the collection holds."""
        return all(
            eligible(source, view) and self.collection[source.unit].reference == source for source in hop.sources
        )


def _source(entry: Mapping[str, str], collection: Collection, path: str | Path) -> Reference:
    if entry["source"] not in collection:
        raise RetrievalError(f"{path}: source {entry['source']!r} is no unit of the collection; name one")
    return collection[entry["source"]].reference
