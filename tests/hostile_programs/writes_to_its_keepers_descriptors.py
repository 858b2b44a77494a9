# SPDX-License-Identifier: Apache-2.0
# Writes an answer into every descriptor of the processes above that it may open, and answers wrongly.
# expect: wrong-number|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import os

import honest
import judge


def reply(texts, tensors):
    right = honest.answer(texts, tensors)
    for process in judge.attestones_above():
        for descriptor in range(3, 32):
            try:
                os.write(os.open(f'/proc/{process}/fd/{descriptor}', os.O_WRONLY | os.O_NONBLOCK), right)
            except OSError:
                pass
    return honest.wrong(texts, tensors)


honest.serve(reply)
