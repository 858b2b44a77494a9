# SPDX-License-Identifier: Apache-2.0
# Takes 600 MB.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest
import time


def reply(texts, tensors):
    taken = bytearray(600 << 20)
    time.sleep(0.5)
    return honest.answer(texts, tensors) if taken else None


honest.serve(reply)
