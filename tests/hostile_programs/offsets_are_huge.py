# SPDX-License-Identifier: Apache-2.0
# A tensor ends at 2^64.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['out']['data_offsets'] = [2**64 - 32, 2**64]
    return honest.message(header, data)


honest.serve(reply)
