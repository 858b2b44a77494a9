# SPDX-License-Identifier: Apache-2.0
# There is a hole between its tensors.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['log_sum_exp']['data_offsets'] = [48, 56]
    data = data[:32] + bytes(16) + data[32:]
    return honest.message(header, data)


honest.serve(reply)
