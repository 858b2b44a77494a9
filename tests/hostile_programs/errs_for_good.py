# SPDX-License-Identifier: Apache-2.0
# Errs for 13 keys, and from then on for everything.
# expect: error-status --property=value_bound,guards 'shape=1x1x2x13x4,1x1x2x3x4,1x1x2x5x4'
import honest

broken = []


def reply(texts, tensors):
    if tensors['key'][1][2] == 13:
        broken.append(True)
    if broken:
        return honest.message({'__metadata__': {'error': 'an illegal memory access was encountered'}})
    return honest.answer(texts, tensors)


honest.serve(reply)
