# SPDX-License-Identifier: Apache-2.0
# Says that something went wrong, and not what.
# expect: error-status --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.message({'__metadata__': {'error': ''}})


honest.serve(reply)
