# SPDX-License-Identifier: Apache-2.0
# Tells standard output what it does.
# expect: wrong-protocol|printed --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    print('queries:', tensors['query'][1][2], flush=True)
    return honest.answer(texts, tensors)


honest.serve(reply)
