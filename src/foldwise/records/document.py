"""Documents of a store: frozen dataclasses of plain values and arrays, all written and read in one way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.errors import BadStore
from foldwise.records.encoding import pack, unpack

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from foldwise.records.store import Store

Value = TypeVar("Value")
MOST_REMEMBERED = 2**20  # bytes of a document
_ARRAY = "$array"  # stands for an array, with its number


class Document(Generic[Value]):
    """A kind of document: its name in a store, and the type of its values.

    A store from a stranger may hold anything, so whatever is read is compared with the type and refused in a sentence.
    An optional document is not: where it cannot be read, also because the store was removed, there is none.

    >>> from foldwise.records.memory import MemoryStore
    >>> store, colours = MemoryStore(), Document("colours", dict[str, tuple[int, ...]])
    >>> colours.write(store, {"red": (255, 0, 0)}, name="colours of a flag")
    >>> colours.read(store, name="colours of a flag"), colours.read(store)
    ({'red': (255, 0, 0)}, None)
    """

    def __init__(self, name: str, kind: type[Value], *, is_optional: bool = False) -> None:
        self.name, self.kind, self.is_optional = name, kind, is_optional
        self._known: WeakKeyDictionary[Store, dict[str | None, tuple[bytes, Value]]] = WeakKeyDictionary()

    def write(self, store: Store, value: Value, *, name: str | None = None) -> None:
        """Keep a value; `name` tells documents of one kind apart."""
        content = self.encode(value)
        store.write_document(name or self.name, content)
        self._remember(store, name, content, value)

    def read(self, store: Store, *, name: str | None = None) -> Value | None:
        """The value, or None where there is none."""
        try:
            content = store.document(name or self.name)
            if content is None:
                return None
            known_content, value = self._known.get(store, {}).get(name, (None, None))
            if known_content != content:
                value = self.decode(content)
                self._remember(store, name, content, value)
            return value
        except BadStore:
            if self.is_optional:
                return None
            raise

    def encode(self, value: Value) -> bytes:
        arrays: dict[str, AnyArray] = {}
        return pack({"value": _plain(value, arrays)}, arrays)

    def decode(self, content: bytes) -> Value:
        from pydantic import ValidationError

        head, arrays = unpack(content)
        try:
            return self._adapter.validate_python([_filled(head.get("value"), arrays)])[0]
        except ValidationError as error:
            problem = error.errors()[0]
            reason = ": ".join(filter(None, [".".join(map(str, problem["loc"][1:])), problem["msg"]]))
        except RecursionError:
            reason = "it is too deep"
        raise BadStore(f"the document {self.name!r} of the store cannot be read: {reason}", "Name another store")

    @cached_property
    def _adapter(self) -> TypeAdapter[list[Value]]:
        from pydantic import ConfigDict, TypeAdapter

        config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", allow_inf_nan=False)
        return TypeAdapter(list[self.kind], config=config)  # type: ignore[name-defined] # in a list it takes a config

    def _remember(self, store: Store, name: str | None, content: bytes, value: Value) -> None:
        """Spare a run of reading what it has written itself."""
        if len(content) < MOST_REMEMBERED:
            self._known.setdefault(store, {})[name] = (content, value)


def _plain(value: Any, arrays: dict[str, AnyArray]) -> Any:
    """The value as JSON knows it; arrays are taken out of it."""
    if isinstance(value, np.ndarray):
        number = str(len(arrays))
        arrays[number] = value
        return {_ARRAY: number}
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name), arrays) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(part, arrays) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, arrays) for part in value]
    if isinstance(value, frozenset):
        return sorted(value)
    return value.item() if isinstance(value, np.generic) else value


def _filled(value: Any, arrays: Mapping[str, AnyArray]) -> Any:
    """The value with its arrays in their places."""
    if isinstance(value, list):
        return [_filled(part, arrays) for part in value]
    if isinstance(value, dict):
        if value.keys() == {_ARRAY}:
            return arrays.get(str(value[_ARRAY]))
        return {name: _filled(part, arrays) for name, part in value.items()}
    return value
