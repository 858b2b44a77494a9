#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An attention kernel behind attestone's pipe, with nothing but the standard library: one query at a time, in double.

    attestone run --program='python3 kernel.py'
"""

import array
import json
import math
import struct
import sys


def read_message():
    """The texts and the tensors of the next message; None when attestone hung up."""
    size = sys.stdin.buffer.read(8)
    if len(size) < 8:
        return None
    content = sys.stdin.buffer.read(struct.unpack("<Q", size)[0])
    header_size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + header_size])
    texts = header.pop("__metadata__", {})
    data = content[8 + header_size :]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = {"F32": "f", "F64": "d", "BOOL": "b", "I64": "q"}[entry["dtype"]]
        tensors[name] = (array.array(kind, data[begin:end]), entry["shape"])
    return texts, tensors


def send_message(texts, tensors):
    """tensors: name -> (array of float, shape)."""
    header, data = {"__metadata__": texts}, b""
    for name, (values, shape) in tensors.items():
        end = len(data) + 4 * len(values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), end]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    content = struct.pack("<Q", len(text)) + text + data
    sys.stdout.buffer.write(struct.pack("<Q", len(content)) + content)
    sys.stdout.buffer.flush()


def forward(texts, tensors):
    query, (batch, heads, queries, dim) = tensors["query"]
    key, (_, kv_heads, keys, _) = tensors["key"]
    value, (_, _, _, value_dim) = tensors["value"]
    mask = tensors["mask"][0] if "mask" in tensors else None
    scale, softcap = float(texts["scale"]), float(texts["softcap"])
    out, log_sum_exp = array.array("f"), array.array("f")
    for row in range(batch * heads * queries):
        b, h = row // (heads * queries), row // queries % heads
        first_key = (b * kv_heads + h // (heads // kv_heads)) * keys
        q = query[row * dim : (row + 1) * dim]
        scores = {}
        for j in range(keys):
            if mask is not None and not mask[row * keys + j]:
                continue
            k = key[(first_key + j) * dim : (first_key + j + 1) * dim]
            s = scale * sum(x * y for x, y in zip(q, k))
            scores[j] = softcap * math.tanh(s / softcap) if softcap else s
        largest = max(scores.values(), default=-math.inf)
        weights = {j: math.exp(s - largest) for j, s in scores.items()}
        total = sum(weights.values())
        for c in range(value_dim):
            o = sum(p * value[(first_key + j) * value_dim + c] for j, p in weights.items())
            out.append(o / total if weights else 0.0)
        log_sum_exp.append(largest + math.log(total) if weights else -math.inf)
    return {"out": (out, [batch, heads, queries, value_dim]), "log_sum_exp": (log_sum_exp, [batch, heads, queries])}


def main():
    while (message := read_message()) is not None:
        texts, tensors = message
        if texts["call"] == "describe":
            send_message({"name": "python", "limits": "dtypes=f32 scores=softcap dropout=no max_queries=64 max_keys=70"}, {})
        else:
            send_message({}, forward(texts, tensors))


if __name__ == "__main__":
    main()
