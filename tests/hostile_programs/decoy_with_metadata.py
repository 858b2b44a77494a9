# SPDX-License-Identifier: Apache-2.0
# Says in its metadata what nobody asked for.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    return honest.message(honest.header_of({'took': '3 ms'}, result), honest.bytes_of(result))


honest.serve(reply)
