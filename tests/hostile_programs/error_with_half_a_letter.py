# SPDX-License-Identifier: Apache-2.0
# What it says went wrong holds half of a surrogate pair, and letters without end.
# expect: error-status|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.message({'__metadata__': {'error': '\ud800 \u0000 \uffff \u202e'}})


honest.serve(reply)
