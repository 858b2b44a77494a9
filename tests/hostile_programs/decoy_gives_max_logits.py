# SPDX-License-Identifier: Apache-2.0
# Answers the largest score of each row where it is asked for.
# expect: conforms --property=value_bound 'shape=1x2x5x9x4 mask=causal wants=out+log_sum_exp+max_logits'
import array
import math

import honest


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
