# SPDX-License-Identifier: Apache-2.0
# Is right when it is looked at, and sloppy from its second call on.
# expect: not-repeatable --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest

calls = []


def reply(texts, tensors):
    calls.append(1)
    return honest.answer(texts, tensors) if len(calls) < 2 else honest.wrong(texts, tensors)


honest.serve(reply)
