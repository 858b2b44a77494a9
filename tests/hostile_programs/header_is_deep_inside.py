# SPDX-License-Identifier: Apache-2.0
# The metadata of its answer nest a hundred thousand times, and end well.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    header = b'{"__metadata__":' + b'{"a":' * 100_000 + b'1' + b'}' * 100_001
    return honest.message(header, data)


honest.serve(reply)
