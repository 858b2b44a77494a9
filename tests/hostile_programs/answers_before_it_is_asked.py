# SPDX-License-Identifier: Apache-2.0
# Sends its answer to the next request ahead.
# expect: wrong-protocol --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data)
    honest.write(data)
    honest.receive()


honest.serve(reply)
