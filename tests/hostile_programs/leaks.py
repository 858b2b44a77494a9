# SPDX-License-Identifier: Apache-2.0
# Never gives back the 100 MB of a call.
# expect: too-much-memory --memory-limit=256M --property=guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import time

leaked = []


def reply(texts, tensors):
    leaked.append(bytearray(100 << 20))
    time.sleep(0.1)
    return honest.answer(texts, tensors)


honest.serve(reply)
