# SPDX-License-Identifier: Apache-2.0
# Makes its pipes non-blocking.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    os.set_blocking(1, False)
    return honest.answer(texts, tensors)


honest.serve(reply)
