# SPDX-License-Identifier: Apache-2.0
# Sends a byte of its answer each half a second: each in time, all of them too late.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest
import time


def reply(texts, tensors):
    for byte in honest.answer(texts, tensors):
        honest.write(bytes([byte]))
        time.sleep(0.5)


honest.serve(reply)
