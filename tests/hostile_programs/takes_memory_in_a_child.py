# SPDX-License-Identifier: Apache-2.0
# A child takes 600 MB, while its parent waits.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import time


def reply(texts, tensors):
    if os.fork() == 0:
        taken = bytearray(600 << 20)
        time.sleep(0.5)
        os._exit(len(taken) & 1)
    os.wait()
    return honest.answer(texts, tensors)


honest.serve(reply)
