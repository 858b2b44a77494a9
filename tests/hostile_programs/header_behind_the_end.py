# SPDX-License-Identifier: Apache-2.0
# Says that its header is longer than its message.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    data = honest.answer(texts, tensors)
    return data[:8] + honest.struct.pack('<Q', len(data)) + data[16:]


honest.serve(reply)
