# SPDX-License-Identifier: Apache-2.0
# Its metadata hold NaN, which JSON does not have.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['__metadata__'] = {'took': float('nan')}
    return honest.message(header, data)


honest.serve(reply)
