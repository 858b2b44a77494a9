# SPDX-License-Identifier: Apache-2.0
# An exception that nobody catches ends it.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    raise ValueError('no such tile')


honest.serve(reply)
