"""`loops.add_up` with its vectors written out.

Left to itself the compiler gathers one figure of several entries at a time, which takes twice as long as to add the six
figures of one entry, which stand beside each other.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from .loops import SIX, add_up

WORD = ir.IntType(64)
VECTORS = ((0, ir.VectorType(WORD, 4)), (4, ir.VectorType(WORD, 2)))  # where among the six they begin
ALIGNED = 8  # bytes

held: Any = cgutils.alloca_once_value


@overload(add_up)
def _add_up(table: Any, begin: Any, place: Any, result: Any, k: Any) -> Any:  # noqa: ARG001 - alike for all types
    def compiled(table: Any, begin: Any, place: Any, result: Any, k: Any) -> None:
        vectors_added(table, begin, place, result, k)

    return compiled


def _vectors_added(_: Any, table: Any, begin: Any, place: Any, result: Any, k: Any) -> Any:
    def generated(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> Any:
        entries, chosen, sums = (context.make_array(signature.args[i])(context, builder, given[i]) for i in (0, 2, 3))
        choices = builder.extract_value(entries.shape, 1)

        def vector(data: ir.Value, first: ir.Value, part: int, kind: ir.Type) -> ir.Value:
            there = builder.gep(data, [builder.add(builder.mul(first, WORD(SIX)), WORD(part))])
            return builder.bitcast(there, kind.as_pointer())

        totals = [
            (held(builder, builder.load(vector(sums.data, given[4], part, kind), align=ALIGNED)), part, kind)
            for part, kind in VECTORS
        ]
        row = held(builder, builder.mul(given[1], choices))
        with cgutils.for_range(builder, builder.extract_value(chosen.shape, 0)) as each:
            here = builder.zext(builder.load(builder.gep(chosen.data, [each.index])), WORD)
            entry = builder.add(builder.load(row), here)
            for total, part, kind in totals:
                worth = builder.load(vector(entries.data, entry, part, kind), align=ALIGNED)
                builder.store(builder.add(builder.load(total), worth), total)
            builder.store(builder.add(builder.load(row), choices), row)
        for total, part, kind in totals:
            builder.store(builder.load(total), vector(sums.data, given[4], part, kind), align=ALIGNED)
        return context.get_dummy_value()

    return types.void(table, begin, place, result, k), generated


vectors_added: Any = intrinsic(_vectors_added)
