# SPDX-License-Identifier: Apache-2.0
"""Which rows of the whole each rank holds: neighbours, chunks from both ends, or every R-th."""
import numpy

from pipe import Refused


def divisible(rows, parts):
    if rows % parts != 0:
        raise Refused(f"{rows} rows cannot be dealt evenly to {parts}")


def blocks(rows, mesh):
    divisible(rows, mesh.ranks)
    return numpy.split(numpy.arange(rows), mesh.ranks)


def zigzag(rows, mesh):
    """Place r of a ring of R has chunks r and 2R - 1 - r of 2R, which a Ulysses group deals among itself."""
    divisible(rows, 2 * mesh.ranks)
    chunks = numpy.split(numpy.arange(rows), 2 * mesh.ring)
    pairs = [numpy.concatenate([chunks[place], chunks[-1 - place]]) for place in range(mesh.ring)]
    return [part for pair in pairs for part in numpy.split(pair, mesh.ulysses)]


def striped(rows, mesh):
    """Place r of a ring of R has rows r, r + R, ..., which a Ulysses group deals among itself."""
    divisible(rows, mesh.ranks)
    return [part for place in range(mesh.ring)
            for part in numpy.split(numpy.arange(place, rows, mesh.ring), mesh.ulysses)]
