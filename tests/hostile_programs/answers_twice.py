# SPDX-License-Identifier: Apache-2.0
# Sends its answer twice.
# expect: wrong-protocol --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return 2 * honest.answer(texts, tensors)


honest.serve(reply)
