# SPDX-License-Identifier: Apache-2.0
# Refuses whatever it is asked.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.message({'__metadata__': {'refused': 'not today'}})


honest.serve(reply)
