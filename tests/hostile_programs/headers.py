# SPDX-License-Identifier: Apache-2.0
"""Programs whose answers have a wrong header, and some whose header is only odd."""

import honest


# Its header has no bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_empty(header, data):
    return b"", data


# Its header is null.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_null(header, data):
    return None, data


# Its header is a list.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_a_list(header, data):
    return [header], data


# Its header is no JSON.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_no_json(header, data):
    return b"{out: F32}", data


# Its header holds bytes that are no UTF-8.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_no_text(header, data):
    del header["__metadata__"]
    return b'{"__metadata__": {"note": "\xff\xfe"}, ' + honest.json.dumps(header)[1:].encode(), data


# Its header is a list of lists of lists, a hundred thousand deep.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_deep(header, data):
    return b"[" * 100_000, data


# The metadata of its answer nest a hundred thousand times, and end well.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_is_deep_inside(header, data):
    return b'{"__metadata__":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, data


# Something stands behind the end of its header.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_has_two_ends(header, data):
    return honest.json.dumps(header).encode() + b"}", data


# Its header has out twice.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def header_says_it_twice(header, data):
    twice = honest.json.dumps({"out": header["out"]})[1:-1]
    return (honest.json.dumps(header)[:-1] + "," + twice + "}").encode(), data


# Says that its header is longer than its message.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def header_behind_the_end(texts, tensors):
    data = honest.answer(texts, tensors)
    return data[:8] + honest.struct.pack("<Q", len(data)) + data[16:]


# Says that its header has 2^64 - 8 bytes: with the eight of its size, none.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def header_of_all(texts, tensors):
    data = honest.answer(texts, tensors)
    return data[:8] + honest.struct.pack("<Q", 2**64 - 8) + data[16:]


# Its metadata are a list.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def metadata_are_a_list(header, data):
    header["__metadata__"] = ["fast"]
    return header, data


# Its metadata hold a number where texts belong.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def metadata_are_numbers(header, data):
    header["__metadata__"] = {"took": 3}
    return header, data


# Its metadata hold NaN, which JSON does not have.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def metadata_are_no_number(header, data):
    header["__metadata__"] = {"took": float("nan")}
    return header, data


# A tensor is a text.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def tensor_is_no_object(header, data):
    header["out"] = "zeros"
    return header, data


# Names its tensors in another order than they lie in.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_header_in_other_order(texts, tensors):
    result = honest.forward(texts, tensors)
    header = dict(reversed(honest.header_of({}, result).items()))
    return honest.message(header, honest.bytes_of(result))


# Fills its header with spaces up to 4 KB.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_header_with_spaces(texts, tensors):
    result = honest.forward(texts, tensors)
    header = honest.json.dumps(honest.header_of({}, result)).encode()
    return honest.message(header + b" " * (4096 - len(header)), honest.bytes_of(result))


# Says in its metadata what nobody asked for.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_with_metadata(texts, tensors):
    result = honest.forward(texts, tensors)
    return honest.message(honest.header_of({"took": "3 ms"}, result), honest.bytes_of(result))


# Has nothing to say, and leaves the metadata away.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_without_metadata(texts, tensors):
    result = honest.forward(texts, tensors)
    header = honest.header_of({}, result)
    del header["__metadata__"]
    return honest.message(header, honest.bytes_of(result))


honest.main()
