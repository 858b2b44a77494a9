# SPDX-License-Identifier: Apache-2.0
# Answers a problem once, and refuses it when it is asked again.
# expect: refused-later --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest

calls = []


def reply(texts, tensors):
    calls.append(texts['problem'])
    if len(calls) > 1:
        return honest.message({'__metadata__': {'refused': 'tired'}})
    return honest.answer(texts, tensors)


honest.serve(reply)
