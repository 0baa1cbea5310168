"""Loops for numba: plain functions over arrays, each with a numpy twin where it is called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BLOCK = 128  # trajectories whose part of a table stays in the cache; even, for they are paired
PAIRED = 9  # states of eight rounds: two trajectories' make one byte
SIX = 6  # figures beside each other


def staircase(  # noqa: PLR0912 - one pass, kept together for the compiler
    offset: Array, quadrants: Array, end: Array, width: int, found: Array
) -> int:
    """Fill ``found`` with the corners of `staircase.corners`, and count them.

    A trajectory's outer corners are kept by ascending x, hence descending y, each with the state since which
    it stands; the inner corner between two neighbours has x of the second and y of the first.
    """
    state, x, y = quadrants
    row, column, gain, loss = found
    most = 0
    for q in range(len(offset) - 1):
        most = max(most, offset[q + 1] - offset[q])
    outer_x, outer_y = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    outer_since, inner_since = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    count = 0
    for q in range(len(offset) - 1):
        base = q * width
        size = 0
        for quadrant in range(offset[q], offset[q + 1] + 1):
            closing = quadrant == offset[q + 1]
            now = base + (end[q] if closing else state[quadrant])
            begin, stop = 0, size  # the outer corners that leave
            if not closing:
                while begin < size and outer_x[begin] < x[quadrant]:
                    begin += 1
                if begin > 0 and outer_y[begin - 1] <= y[quadrant]:
                    continue
                if begin < size and outer_x[begin] == x[quadrant] and outer_y[begin] <= y[quadrant]:
                    continue
                stop = begin
                while stop < size and outer_y[stop] >= y[quadrant]:
                    stop += 1
            for k in range(begin, stop):
                if outer_since[k] != now:
                    row[count], column[count] = outer_x[k], outer_y[k]
                    gain[count], loss[count] = outer_since[k], now
                    count += 1
            for k in range(max(begin - 1, 0), min(stop, size - 1)):
                if inner_since[k] != now:
                    row[count], column[count] = outer_x[k + 1], outer_y[k]
                    gain[count], loss[count] = now, inner_since[k]
                    count += 1
            if closing:
                break
            moved = begin + 1 - stop
            for i in range(size - stop):
                k = size - 1 - i if moved > 0 else stop + i
                outer_x[k + moved], outer_y[k + moved] = outer_x[k], outer_y[k]
                outer_since[k + moved], inner_since[k + moved] = outer_since[k], inner_since[k]
            size += moved
            outer_x[begin], outer_y[begin] = x[quadrant], y[quadrant]
            outer_since[begin] = inner_since[begin] = now
            if begin > 0:
                inner_since[begin - 1] = now
    return count


def accumulate(block: Array, above: Array) -> None:
    """The compiled way of `sweep_two.accumulate`."""
    for f in range(block.shape[0]):
        for i in range(block.shape[1]):
            total = np.int64(0)
            for j in range(block.shape[2]):
                total += block[f, i, j]
                above[f, j] += total
                block[f, i, j] = above[f, j]


def combine(masks: Array, first: Array, member: Array, need: Array, result: Array) -> None:  # noqa: PLR0912
    """The compiled way of `masks.combine`: byte by byte, at least ``need`` of the members' masks."""
    size = masks.shape[1]
    most = 1
    for k in range(len(need)):
        most = max(most, need[k])
    # plane j holds the rounds at which at least j of the members so far are true
    planes = np.empty((most + 1, size), np.uint8)
    for k in range(len(need)):
        begin, stop, enough = first[k], first[k + 1], need[k]
        row = result[k]
        if enough in (1, stop - begin):
            one = masks[member[begin]]
            for i in range(size):
                row[i] = one[i]
            for m in range(begin + 1, stop):
                one = masks[member[m]]
                if enough == 1:
                    for i in range(size):
                        row[i] |= one[i]
                else:
                    for i in range(size):
                        row[i] &= one[i]
            continue
        for j in range(1, enough + 1):
            plane = planes[j]
            for i in range(size):
                plane[i] = 0
        for m in range(begin, stop):
            one = masks[member[m]]
            for j in range(enough, 1, -1):
                plane, lower = planes[j], planes[j - 1]
                for i in range(size):
                    plane[i] |= lower[i] & one[i]
            plane = planes[1]
            for i in range(size):
                plane[i] |= one[i]
        plane = planes[enough]
        for i in range(size):
            row[i] = plane[i]


def first_set(masks: Array, result: Array) -> None:
    """The compiled way of `masks.first_set`: counts the bits below the lowest one, which vectorises."""
    words = masks.shape[1]
    for k in range(len(masks)):
        row = result[k]
        row[:] = 8 * words
        for w in range(words - 1, -1, -1):
            word = masks[k, w]
            for i in range(len(row)):
                bits = word[i]
                below = np.uint8(~bits & (bits - 1))
                below = np.uint8(below - ((below >> 1) & 0x55))
                below = np.uint8((below & 0x33) + ((below >> 2) & 0x33))
                below = np.uint8((below + (below >> 4)) & 0x0F)
                row[i] = 8 * w + below if bits else row[i]


def lookup(states: Array, ors: tuple[Array, Array], table: Array, paired: bool, result: Array) -> None:
    """The compiled way of `masks.Lookup.sums`: six figures of the least state of each rule's members.

    Trajectories are met in blocks, so that their part of the table stays close to the processor; so do their
    states, moved together where each is read more than once.
    """
    n = states.shape[1]
    first, member = ors
    own, kept = np.empty(BLOCK, states.dtype), np.empty(BLOCK, states.dtype)
    moves = len(member) > len(states)
    near = np.empty((len(states), BLOCK), states.dtype) if moves else states
    done = 0
    for begin in range(0, n, BLOCK):
        stop = min(begin + BLOCK, n)
        size = stop - begin
        places = (size + 1) // 2 if paired else size
        left, right, place = own[:places], own[size - places : size], kept[:places]
        at = 0 if moves else begin
        if moves:
            for one in range(len(states)):
                row, moved = states[one, begin:stop], near[one]
                for i in range(size):
                    moved[i] = row[i]
        for k in range(len(result)):
            row = near[member[first[k]], at : at + size]
            for i in range(size):
                own[i] = row[i]
            for one in member[first[k] + 1 : first[k + 1]]:
                row = near[one, at : at + size]
                for i in range(size):
                    own[i] = min(own[i], row[i])
            for i in range(places):
                place[i] = left[i] * PAIRED + right[i] if paired else left[i]
            add_up(table, done, place, result, k)
        done += places


def add_up(table: Array, begin: int, place: Array, result: Array, k: int) -> None:
    """Add to ``result[k]`` one entry of each row of a table from ``begin`` on; compiled as `vectors` has it."""
    for i in range(len(place)):
        result[k] += table[begin + i, place[i]]


def front_of_three(order: Array, gains: Array, rank: Array, mask: Array) -> None:
    """The compiled way of `pareto._mask_of_three`: ``rank`` is that of the second gain, 0 for the best.

    A Fenwick tree over it holds the best third gain so far among all of at most a rank.
    """
    first, third = gains[0], gains[2]
    size = rank.max() + 1
    best = np.full(size + 1, -np.inf)
    reached = np.zeros(size + 1, np.bool_)  # a third of -inf is one, too
    before = order[0]
    for k in range(len(order)):
        point = order[k]
        if k > 0 and first[before] == first[point] and rank[before] == rank[point] and third[before] == third[point]:
            mask[point] = mask[before]
            continue
        before = point
        dominated = False
        node = rank[point] + 1
        while node > 0 and not dominated:
            dominated = reached[node] and best[node] >= third[point]
            node -= node & -node
        mask[point] = not dominated
        if not dominated:
            node = rank[point] + 1
            while node <= size:
                best[node] = max(best[node], third[point])
                reached[node] = True
                node += node & -node
