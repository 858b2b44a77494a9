# SPDX-License-Identifier: Apache-2.0
# Goes to another directory.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    os.chdir('/')
    return honest.answer(texts, tensors)


honest.serve(reply)
