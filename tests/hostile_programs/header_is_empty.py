# SPDX-License-Identifier: Apache-2.0
# Its header has no bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header = b""
    return honest.message(header, data)


honest.serve(reply)
