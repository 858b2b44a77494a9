# SPDX-License-Identifier: Apache-2.0
# Fills its header with spaces up to 4 KB.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header = honest.json.dumps(honest.header_of({}, result)).encode()
    return honest.message(header + b' ' * (4096 - len(header)), honest.bytes_of(result))


honest.serve(reply)
