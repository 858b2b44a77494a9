# SPDX-License-Identifier: Apache-2.0
# Takes 100 MB in a call, which the limit allows.
# expect: conforms --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    taken = bytearray(100 << 20)
    return honest.answer(texts, tensors) if taken else None


honest.serve(reply)
