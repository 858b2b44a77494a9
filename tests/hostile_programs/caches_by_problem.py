# SPDX-License-Identifier: Apache-2.0
# Remembers its answers by the text of the problem.
# expect: stale-answer --property=answers_afresh 'shape=1x1x2x3x4'
import honest

known = {}


def reply(texts, tensors):
    return known.setdefault(texts['problem'], honest.answer(texts, tensors))


honest.serve(reply)
