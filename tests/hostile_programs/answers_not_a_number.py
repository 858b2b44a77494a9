# SPDX-License-Identifier: Apache-2.0
# Answers NaN everywhere.
# expect: wrong-non-finite --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    nan = honest.array.array('f', [float('nan')] * len(result['out'][0]))
    result['out'] = (nan, result['out'][1])
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply)
