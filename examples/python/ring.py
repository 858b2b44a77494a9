#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ring attention over several processes, with nothing but the standard library: one process for each rank, whose messages
attestone carries. Its own messages to attestone are those of kernel.py.

    attestone run --rank-program='python3 ring.py' --mesh=ring:4
"""

import array
import math
import sys

from kernel import read_message, send_message


def ask(operation, tensors=(), **texts):
    """What attestone says to an operation of this rank."""
    send_message({"operation": operation, **{name: str(value) for name, value in texts.items()}}, dict(tensors))
    answer = read_message()
    if answer is None:  # attestone has heard enough
        sys.exit()
    return answer


def begin(name):
    """The next operation of the ring, as all ranks begin it; it is named with the place in this file that begins it."""
    caller = sys._getframe(1)
    ask("begin", name=name, file=caller.f_code.co_filename, line=caller.f_lineno, function=caller.f_code.co_name)


def send(to, values):
    return ask("send", {"payload": (values, [len(values)])}, to=to)[0]["request"]


def receive(source, count):
    return ask("receive", **{"from": source}, dtype="F32", count=count)[0]["request"]


def wait(request):
    return ask("wait", request=request)[1]


def rows_of(table, place):
    """The (sequence, number) of every row that a place holds, as they lie in memory."""
    rows, (count, _) = table
    return [(rows[3 * i + 1], rows[3 * i + 2]) for i in range(count) if rows[3 * i] == place]


def scores(texts, tensors, queries, keys, key):
    """(query row, key row, score) of every pair that is visible; rows count through all heads."""
    query, (_, heads, _, dim) = tensors["query"]
    kv_heads, scale = tensors["key"][1][1], float(texts["scale"])
    mask, shape = tensors.get("mask", (None, None))
    for h in range(heads):
        for i, (sequence, number) in enumerate(queries):
            q = query[(h * len(queries) + i) * dim :][:dim]
            for j, (other, position) in enumerate(keys):
                seen = mask is None or mask[((sequence * heads + h) * shape[2] + number) * shape[3] + position]
                if other == sequence and seen:
                    row = h // (heads // kv_heads) * len(keys) + j
                    score = scale * sum(x * y for x, y in zip(q, key[row * dim :][:dim]))
                    yield h * len(queries) + i, row, score


def merge(sums, score, values):
    """One more key: sums are (largest score, sum of weights, weighted values) of those before."""
    largest, total, out = sums
    higher = max(largest, score)
    old, new = math.exp(largest - higher), math.exp(score - higher)
    return higher, total * old + new, [o * old + new * v for o, v in zip(out, values)]


class Ring:
    """Keys and values on their way round: those of the place i places back at step i."""

    def __init__(self, texts, tensors):
        self.place, self.places = int(texts["place"]), int(texts["places"])
        self.table = tensors["key_table"]
        self.tensors = [tensors["key"][0], tensors["value"][0]]
        self.channels = [tensors["key"][1][3], tensors["value"][1][3]]
        self.heads = tensors["key"][1][1]

    def rows(self, step):
        return rows_of(self.table, (self.place - step) % self.places)

    def hop(self, step, tensors):
        """Sends two tensors on, and begins to receive those of the place behind."""
        begin("hop")
        count = self.heads * len(self.rows(step + 1))
        requests = [send((self.place + 1) % self.places, tensor) for tensor in tensors]
        return requests + [receive((self.place - 1) % self.places, count * width) for width in self.channels]


def arrived(requests):
    return [message["payload"][0] for message in map(wait, requests) if message]


def forward(texts, tensors):
    ring = Ring(texts, tensors)
    queries = rows_of(tensors["query_table"], ring.place)
    heads, value_dim = tensors["query"][1][1], tensors["value"][1][3]
    sums = [(-math.inf, 0.0, [0.0] * value_dim)] * (heads * len(queries))
    for step in range(ring.places):
        last = step == ring.places - 1
        requests = [] if last else ring.hop(step, ring.tensors)
        key, value = ring.tensors
        for query_row, key_row, score in scores(texts, tensors, queries, ring.rows(step), key):
            sums[query_row] = merge(sums[query_row], score, value[key_row * value_dim :][:value_dim])
        ring.tensors = arrived(requests)
    out, log_sum_exp = array.array("f"), array.array("f")
    for largest, total, values in sums:
        out.extend(v / total if total else 0.0 for v in values)
        log_sum_exp.append(largest + math.log(total) if total else -math.inf)
    rows = [1, heads, len(queries)]
    return {"out": (out, rows + [value_dim]), "log_sum_exp": (log_sum_exp, rows)}


def backward(texts, tensors):
    ring = Ring(texts, tensors)
    queries = rows_of(tensors["query_table"], ring.place)
    query, query_shape = tensors["query"]
    dim, value_dim = ring.channels
    out, dout, log_sum_exp = (tensors[name][0] for name in ("out", "dout", "log_sum_exp"))
    delta = [sum(o * d for o, d in zip(out[i : i + value_dim], dout[i : i + value_dim]))
             for i in range(0, len(out), value_dim)]
    dquery, scale, requests, sums_under_way = [0.0] * len(query), float(texts["scale"]), [], []
    for step in range(ring.places):
        if step < ring.places - 1:
            requests = ring.hop(step, ring.tensors)
        key, value = ring.tensors
        share = [[0.0] * len(key), [0.0] * len(value)]
        for i, j, score in scores(texts, tensors, queries, ring.rows(step), key):
            p, d = math.exp(score - log_sum_exp[i]), dout[i * value_dim :][:value_dim]
            ds = scale * p * (sum(x * y for x, y in zip(d, value[j * value_dim :][:value_dim])) - delta[i])
            for c in range(dim):
                dquery[i * dim + c] += ds * key[j * dim + c]
                share[0][j * dim + c] += ds * query[i * dim + c]
            for c in range(value_dim):
                share[1][j * value_dim + c] += p * d[c]
        for before, here in zip(arrived(sums_under_way), share):
            here[:] = [x + y for x, y in zip(before, here)]
        if step < ring.places - 1:
            ring.tensors = arrived(requests)
        sums_under_way = ring.hop(step, [array.array("f", tensor) for tensor in share]) if ring.places > 1 else []
    dkey, dvalue = arrived(sums_under_way) if ring.places > 1 else [array.array("f", tensor) for tensor in share]
    return {"dquery": (array.array("f", dquery), query_shape), "dkey": (dkey, tensors["key"][1]),
            "dvalue": (dvalue, tensors["value"][1])}


def main():
    while (message := read_message()) is not None:
        texts, tensors = message
        if texts["call"] == "describe":
            limits = "dtypes=f32 scores= dropout=no max_queries=64 max_keys=70"
            send_message({"name": "ring", "passes": "forward+backward", "limits": limits}, {})
        else:
            send_message({}, {"forward": forward, "backward": backward}[texts["call"]](texts, tensors))


if __name__ == "__main__":
    main()
