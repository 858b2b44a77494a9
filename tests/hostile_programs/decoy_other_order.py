# SPDX-License-Identifier: Apache-2.0
# Sends log_sum_exp in front of out.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = dict(reversed(honest.forward(texts, tensors).items()))
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply)
