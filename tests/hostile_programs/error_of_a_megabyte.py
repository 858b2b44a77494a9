# SPDX-License-Identifier: Apache-2.0
# Tells a million letters about what went wrong.
# expect: error-status --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.message({'__metadata__': {'error': 'tile ' * 200_000}})


honest.serve(reply)
