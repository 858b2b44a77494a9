# SPDX-License-Identifier: Apache-2.0
# Answers the scores, too.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header['scores'] = {'dtype': 'F32', 'shape': [6], 'data_offsets': [40, 64]}
    data += bytes(24)
    return honest.message(header, data)


honest.serve(reply)
