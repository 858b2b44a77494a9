# SPDX-License-Identifier: Apache-2.0
# Searches the judge's memory for doubles near a sloppy answer of its own, and answers those.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
import os

import honest
import judge


def near(found, sloppy):
    return all(abs(x - y) <= 2**-11 * abs(y) for x, y in zip(found, sloppy))


def improved(process, sloppy):
    """The first doubles in a row that the sloppy answer may stand for."""
    try:
        memory = open(f'/proc/{process}/mem', 'rb', buffering=0)
    except OSError:
        return sloppy
    # Doubles near the first element share the three highest bytes with it, if it lies well between two such.
    high = honest.struct.pack('<d', sloppy[0])[5:]
    for begin, end in judge.writable_pieces(process):
        if end - begin > 16 << 20:
            continue
        try:
            memory.seek(begin)
            piece = memory.read(end - begin)
        except (OSError, OverflowError):
            continue
        place = piece.find(high)
        while place >= 0:
            for step in (8, 16, 24, 32):
                at = [place - 5 + step * i for i in range(len(sloppy))]
                if at[0] >= 0 and at[-1] + 8 <= len(piece):
                    found = [honest.struct.unpack_from('<d', piece, i)[0] for i in at]
                    if near(found, sloppy):
                        return found
            place = piece.find(high, place + 1)
    return sloppy


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    out, shape = result['out']
    sloppy = [x * (1 + 2**-12) for x in out]
    for process in judge.attestones_above():
        sloppy = improved(process, sloppy) if sloppy else sloppy
    result['out'] = (honest.array.array('f', sloppy), shape)
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply)
