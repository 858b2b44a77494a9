# SPDX-License-Identifier: Apache-2.0
# Its header has out twice.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    twice = honest.json.dumps({'out': header['out']})[1:-1]
    header = (honest.json.dumps(header)[:-1] + ',' + twice + '}').encode()
    return honest.message(header, data)


honest.serve(reply)
