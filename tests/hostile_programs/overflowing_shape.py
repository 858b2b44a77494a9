# SPDX-License-Identifier: Apache-2.0
# The product of its extents is right modulo 2^64.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['out']['shape'] = [1, 2**32, 2**32, 8]
    return honest.message(header, data)


honest.serve(reply)
