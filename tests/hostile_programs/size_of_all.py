# SPDX-License-Identifier: Apache-2.0
# Says that its message has 2^64 - 1 bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.struct.pack('<Q', 2**64 - 1) + honest.answer(texts, tensors)[8:]


honest.serve(reply)
