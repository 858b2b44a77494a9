# SPDX-License-Identifier: Apache-2.0
# Says no shape.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    del header['out']['shape']
    return honest.message(header, data)


honest.serve(reply)
