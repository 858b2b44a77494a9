# SPDX-License-Identifier: Apache-2.0
# Sends half of its answer, and waits.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest
import time


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data[: len(data) // 2])
    time.sleep(3600)


honest.serve(reply)
