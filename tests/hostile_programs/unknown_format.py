# SPDX-License-Identifier: Apache-2.0
# Says that out is in a format that nobody knows.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['out']['dtype'] = 'F31'
    return honest.message(header, data)


honest.serve(reply)
