# SPDX-License-Identifier: Apache-2.0
# Says that its message is ten bytes longer than it is.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    return honest.struct.pack('<Q', len(data) + 2) + data[8:]


honest.serve(reply)
