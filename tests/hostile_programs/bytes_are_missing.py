# SPDX-License-Identifier: Apache-2.0
# The last tensor is a byte short.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    data = data[:-1]
    return honest.message(header, data)


honest.serve(reply)
