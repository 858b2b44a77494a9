# SPDX-License-Identifier: Apache-2.0
# Ends well after each answer: whoever wants more may start it again.
# expect: exited --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    honest.write(honest.answer(texts, tensors))
    os._exit(0)


honest.serve(reply)
