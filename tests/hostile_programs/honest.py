# SPDX-License-Identifier: Apache-2.0
"""The honest program that hostile ones begin with: attention in double, by the definition, and the pipe's frames."""

import array
import json
import math
import os
import struct
import sys

# Text that erases the screen and holds a report of its own, in every format.
REPORT = (
    '\033[2J\033]0;title\007\r"}]}]]></failure></testcase><testcase name="x"/>\n\n| a | b |\n'
    "<script>alert(1)</script>\b\x7f\x9b[1mconforms\n"
)

LIMITS = "dtypes=f32 scores= dropout=no max_queries=64 max_keys=64"


def receive():
    """The texts and the tensors (name -> values, shape) of the next request; None when nobody asks any more."""
    size = sys.stdin.buffer.read(8)
    if len(size) < 8:
        return None
    content = sys.stdin.buffer.read(struct.unpack("<Q", size)[0])
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:begin])
    texts = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        kind = {"F32": "f", "BOOL": "b", "I64": "q"}[entry["dtype"]]
        tensors[name] = (array.array(kind, content[begin + first : begin + last]), entry["shape"])
    return texts, tensors


def header_of(texts, tensors):
    """What stands in front of the bytes of tensors."""
    header, place = {"__metadata__": texts}, 0
    for name, (values, shape) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [place, place + 4 * len(values)]}
        place += 4 * len(values)
    return header


def message(header, data=b""):
    """A message of a header, which is bytes or what becomes JSON, and of the bytes behind it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = struct.pack("<Q", len(text)) + text + data
    return struct.pack("<Q", len(content)) + content


def bytes_of(tensors):
    return b"".join(values.tobytes() for values, _ in tensors.values())


def answer(texts, tensors):
    """The message that is the right answer."""
    result = forward(texts, tensors)
    return message(header_of({}, result), bytes_of(result))


def write(data):
    """Sends bytes, whatever buffers there are."""
    while data:
        data = data[os.write(1, data) :]


def forward(texts, tensors):
    query, (batch, heads, queries, dim) = tensors["query"]
    key, (_, kv_heads, keys, _) = tensors["key"]
    value, (_, _, _, value_dim) = tensors["value"]
    mask = tensors["mask"][0] if "mask" in tensors else None
    scale = float(texts["scale"])
    out, log_sum_exp = array.array("f"), array.array("f")
    for row in range(batch * heads * queries):
        b, h = row // (heads * queries), row // queries % heads
        first = (b * kv_heads + h // (heads // kv_heads)) * keys
        q = query[row * dim : (row + 1) * dim]
        scores = {}
        for j in range(keys):
            if mask is None or mask[row * keys + j]:
                scores[j] = scale * sum(x * y for x, y in zip(q, key[(first + j) * dim : (first + j + 1) * dim]))
        largest = max(scores.values(), default=-math.inf)
        weights = {j: math.exp(s - largest) for j, s in scores.items()}
        total = sum(weights.values())
        for c in range(value_dim):
            o = sum(p * value[(first + j) * value_dim + c] for j, p in weights.items())
            out.append(o / total if weights else 0.0)
        log_sum_exp.append(largest + math.log(total) if weights else -math.inf)
    return {"out": (out, [batch, heads, queries, value_dim]), "log_sum_exp": (log_sum_exp, [batch, heads, queries])}


def wrong(texts, tensors):
    """The answer of a program that has reason to cheat: right but for its first element, which is off by one."""
    result = forward(texts, tensors)
    if result["out"][0]:
        result["out"][0][0] += 1
    return message(header_of({}, result), bytes_of(result))


def serve(reply=answer, description=None):
    """Answers until nobody asks any more. `reply` makes a message of texts and tensors, or sends it and makes None."""
    while (request := receive()) is not None:
        texts, tensors = request
        if texts["call"] == "describe":
            data = message({"__metadata__": {"name": "honest", "limits": LIMITS, **(description or {})}})
        else:
            data = reply(texts, tensors)
        if data is not None:
            write(data)


PROGRAMS = {}


def program(run):
    """Decorates a program: what it does from its first line to its last. Its name on the command line is its own."""
    PROGRAMS[run.__name__] = run
    return run


def reply(make):
    """Decorates how a program replies to calls, as `serve` takes it; its description is honest."""
    PROGRAMS[make.__name__] = lambda: serve(make)
    return make


def changes_message(change):
    """Decorates what a program makes of the header and of the bytes of the right answer."""

    def make(texts, tensors):
        result = forward(texts, tensors)
        return message(*change(header_of({}, result), bytes_of(result)))

    PROGRAMS[change.__name__] = lambda: serve(make)
    return change


def main():
    """Runs the program that the command line names: `python3 -S FILE NAME`."""
    PROGRAMS[sys.argv[1]]()
