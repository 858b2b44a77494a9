# SPDX-License-Identifier: Apache-2.0
# Sends half of its answer, and ends well.
# expect: exited|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data[: len(data) // 2])
    os._exit(0)


honest.serve(reply)
