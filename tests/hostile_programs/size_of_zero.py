# SPDX-License-Identifier: Apache-2.0
# Says that its message has no bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return bytes(8)


honest.serve(reply)
