# SPDX-License-Identifier: Apache-2.0
# Sends its answer to the next request ahead: seen where it waits when that request goes out, else by being the wrong one.
# expect: wrong-protocol|stale-answer --property=answers_afresh 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data)
    honest.write(data)
    honest.receive()


honest.serve(reply)
