# SPDX-License-Identifier: Apache-2.0
# Says that its header has 2^64 - 8 bytes: with the eight of its size, none.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    return data[:8] + honest.struct.pack('<Q', 2**64 - 8) + data[16:]


honest.serve(reply)
