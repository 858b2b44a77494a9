# SPDX-License-Identifier: Apache-2.0
"""Programs whose answers have wrong tensors: their formats, shapes, places and bytes."""

import array
import math

import honest


# Answers with a message without texts and tensors.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def answers_nothing(header, data):
    return {}, b""


# Answers log_sum_exp only.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def out_is_missing(header, data):
    del header["out"]
    header["log_sum_exp"]["data_offsets"] = [0, 8]
    return header, data[32:]


# Answers out only.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def log_sum_exp_is_missing(header, data):
    del header["log_sum_exp"]
    return header, data[:32]


# Says that out is in a format that nobody knows.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def unknown_format(header, data):
    header["out"]["dtype"] = "F31"
    return header, data


# Says that out is in f64, and sends half as many elements.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def wrong_format(header, data):
    header["out"]["dtype"] = "F64"
    return header, data


# Says the format by a number.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def format_is_a_number(header, data):
    header["out"]["dtype"] = 32
    return header, data


# Answers with heads and queries the other way round.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def wrong_shape(header, data):
    header["out"]["shape"] = [1, 2, 1, 4]
    return header, data


# Answers with all axes in one.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def wrong_rank(header, data):
    header["out"]["shape"] = [8]
    return header, data


# Says no shape.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def shape_is_missing(header, data):
    del header["out"]["shape"]
    return header, data


# Its extents are fractions.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def shape_of_fractions(header, data):
    header["out"]["shape"] = [1, 1, 2.5, 4]
    return header, data


# Its extents are texts.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def shape_of_texts(header, data):
    header["out"]["shape"] = ["1", "1", "2", "4"]
    return header, data


# Two of its extents are negative: their product is right.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def negative_shape(header, data):
    header["out"]["shape"] = [1, -1, -2, 4]
    return header, data


# The product of its extents is right modulo 2^64.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def overflowing_shape(header, data):
    header["out"]["shape"] = [1, 2**32, 2**32, 8]
    return header, data


# A tensor begins half a byte late.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_are_fractions(header, data):
    header["out"]["data_offsets"] = [0.5, 32.5]
    return header, data


# A tensor ends at 2^64.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_are_huge(header, data):
    header["out"]["data_offsets"] = [2**64 - 32, 2**64]
    return header, data


# A tensor begins before the first byte.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_are_negative(header, data):
    header["out"]["data_offsets"] = [-32, 0]
    return header, data


# A tensor has a begin, a middle and an end.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_are_three(header, data):
    header["out"]["data_offsets"] = [0, 16, 32]
    return header, data


# A tensor lies behind the end of the message.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_behind_the_end(header, data):
    header["out"]["data_offsets"] = [4096, 4128]
    return header, data


# A tensor ends before it begins.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def offsets_run_backwards(header, data):
    header["out"]["data_offsets"].reverse()
    return header, data


# Its tensors share their bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def overlaps(header, data):
    header["log_sum_exp"]["data_offsets"] = [0, 8]
    return header, data[:32]


# There is a hole between its tensors.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def leaves_a_hole(header, data):
    header["log_sum_exp"]["data_offsets"] = [48, 56]
    return header, data[:32] + bytes(16) + data[32:]


# The last tensor is a byte short.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def bytes_are_missing(header, data):
    return header, data[:-1]


# Bytes stand behind the last tensor.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def bytes_behind_the_end(header, data):
    return header, data + bytes(100)


# Sends log_sum_exp in front of out.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_other_order(texts, tensors):
    result = dict(reversed(honest.forward(texts, tensors).items()))
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


# Answers the scores, too.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def decoy_tensor_too_many(header, data):
    header["scores"] = {"dtype": "F32", "shape": [6], "data_offsets": [40, 64]}
    return header, data + bytes(24)


# Answers the largest score of each row where it is asked for.
# expect: conforms --property=value_bound 'shape=1x2x5x9x4 mask=causal wants=out+log_sum_exp+max_logits'
@honest.program
def decoy_gives_max_logits():
    def largest_scores(texts, tensors):
        query, (batch, heads, queries, dim) = tensors["query"]
        key, (_, kv_heads, keys, _) = tensors["key"]
        mask = tensors["mask"][0] if "mask" in tensors else None
        largest = array.array("f")
        for row in range(batch * heads * queries):
            first = (row // (heads * queries) * kv_heads + row // queries % heads // (heads // kv_heads)) * keys
            q = query[row * dim : (row + 1) * dim]
            seen = [j for j in range(keys) if mask is None or mask[row * keys + j]]
            products = [sum(x * y for x, y in zip(q, key[(first + j) * dim : (first + j + 1) * dim])) for j in seen]
            largest.append(max((float(texts["scale"]) * product for product in products), default=-math.inf))
        return largest, [batch, heads, queries]

    def reply(texts, tensors):
        result = honest.forward(texts, tensors)
        if "max_logits" in texts.get("wants", "").split("+"):
            result["max_logits"] = largest_scores(texts, tensors)
        return honest.message(honest.header_of({}, result), honest.bytes_of(result))

    honest.serve(reply, description={"limits": honest.LIMITS + " max_logits=yes"})


# Has no log_sum_exp, and says so.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def decoy_without_log_sum_exp():
    def reply(texts, tensors):
        result = {"out": honest.forward(texts, tensors)["out"]}
        return honest.message(honest.header_of({}, result), honest.bytes_of(result))

    honest.serve(reply, description={"conventions": "outputs=out"})


honest.main()
