# SPDX-License-Identifier: Apache-2.0
# Its last bit depends on how many threads it is to use.
# expect: not-repeatable --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    if texts['threads'] != '1' and result['out'][0]:
        result['out'][0][0] *= 1 + 2**-23
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply)
