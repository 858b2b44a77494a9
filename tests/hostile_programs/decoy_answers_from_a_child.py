# SPDX-License-Identifier: Apache-2.0
# A child computes and sends the answer.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    if os.fork() == 0:
        honest.write(honest.answer(texts, tensors))
        os._exit(0)
    os.wait()


honest.serve(reply)
