# SPDX-License-Identifier: Apache-2.0
# Its header holds bytes that are no UTF-8.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    header, data = honest.header_of({}, result), honest.bytes_of(result)
    del header["__metadata__"]
    header = b'{"__metadata__": {"note": "\xff\xfe"}, ' + honest.json.dumps(header)[1:].encode()
    return honest.message(header, data)


honest.serve(reply)
