# SPDX-License-Identifier: Apache-2.0
# Goes into a session and a group of its own, as nohup and setsid do.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    try:
        os.setsid()
    except OSError:
        pass
    return honest.answer(texts, tensors)


honest.serve(reply)
