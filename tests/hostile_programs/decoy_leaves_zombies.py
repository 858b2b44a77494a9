# SPDX-License-Identifier: Apache-2.0
# Never asks how its children ended.
# expect: conforms --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    if os.fork() == 0:
        os._exit(0)
    return honest.answer(texts, tensors)


honest.serve(reply)
