# SPDX-License-Identifier: Apache-2.0
# Answers each request with the answer to the one before.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
import honest

previous = {}


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    mine, result['out'] = result['out'], previous.get(len(result['out'][0]), (honest.array.array('f', bytes(4 * len(result['out'][0]))), result['out'][1]))
    previous[len(mine[0])] = mine
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply)
