# SPDX-License-Identifier: Apache-2.0
# Eight children take 80 MB each: none of them too much, all of them together.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import time


def reply(texts, tensors):
    for _ in range(8):
        if os.fork() == 0:
            taken = bytearray(80 << 20)
            time.sleep(1)
            os._exit(len(taken) & 1)
    for _ in range(8):
        os.wait()
    return honest.answer(texts, tensors)


honest.serve(reply)
