# SPDX-License-Identifier: Apache-2.0
# Sends its answer in ten pieces with pauses between them, all in time.
# expect: conforms --timeout=20s --property=value_bound 'shape=1x1x2x3x4'
import honest
import time


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    for begin in range(0, len(data), len(data) // 10):
        honest.write(data[begin : begin + len(data) // 10])
        time.sleep(0.02)


honest.serve(reply)
