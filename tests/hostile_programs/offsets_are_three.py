# SPDX-License-Identifier: Apache-2.0
# A tensor has a begin, a middle and an end.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['out']['data_offsets'] = [0, 16, 32]
    return honest.message(header, data)


honest.serve(reply)
