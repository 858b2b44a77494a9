# SPDX-License-Identifier: Apache-2.0
# Names its tensors in another order than they lie in.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header = dict(reversed(honest.header_of({}, result).items()))
    return honest.message(header, honest.bytes_of(result))


honest.serve(reply)
