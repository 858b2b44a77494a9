#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Someone else's distributed attention as a program behind attestone's pipe.

    attestone run --program='python beside/program.py yunchang_usp --variant=basic --mesh=ulysses:2+ring:2'

Deals the rows of a problem to the ranks of a mesh, lets each attend, and puts the whole answer together.
"""
import argparse
import importlib
import importlib.metadata

import numpy

import numerics
import pipe
from mesh import Mesh
from team import Team


class Program:
    def __init__(self, system_name, variant, mesh, dtype):
        self.system = importlib.import_module(f"systems.{system_name}")
        self.variant = variant or next(iter(self.system.DEALING))
        self.mesh, self.dtype = mesh, dtype
        make = getattr(self.system, "Team", Team)
        self.team = make(system_name, self.variant, mesh)

    def describe(self, texts, tensors):
        version = importlib.metadata.version(self.system.PACKAGE)
        forward_alone = self.variant in getattr(self.system, "FORWARD_ALONE", ())
        return {"name": f"{self.system.PACKAGE} {version} {self.variant} on {self.mesh.text}",
                "numerics": numerics.declared(self.system, self.mesh, self.dtype),
                "limits": f"dtypes={self.dtype} layouts=bhsd scores= dropout=no lengths=no {self.system.LIMITS}",
                "passes": "forward" if forward_alone else "forward+backward"}, {}

    def forward(self, texts, tensors):
        rows = self.rows_of_queries(texts, tensors)
        answers = self.team.ask(self.requests(texts, tensors))
        out, log_sum_exp = (self.whole(parts, rows) for parts in zip(*answers))
        return {}, {"out": out, "log_sum_exp": log_sum_exp}

    def backward(self, texts, tensors):
        rows, keys = self.rows_of_queries(texts, tensors), self.rows_of_keys(tensors)
        answers = self.team.ask(self.requests(texts, tensors, tensors["dout"]))
        places = {"dquery": rows, "dkey": keys, "dvalue": keys}
        return {}, {name: self.whole(parts, places[name]) for name, parts in zip(places, zip(*answers))}

    def requests(self, texts, tensors, dout=None):
        """One for each rank: its rows, and how they attend."""
        rows, keys = self.rows_of_queries(texts, tensors), self.rows_of_keys(tensors)
        how = {"causal": self.causal(texts), "scale": float(texts["scale"])}
        for mine, shared in zip(rows, keys):
            parts = [part[:, :, held].swapaxes(1, 2)
                     for part, held in ((tensors["query"], mine), (tensors["key"], shared), (tensors["value"], shared))]
            yield {"parts": parts, "dout": None if dout is None else dout[:, :, mine].swapaxes(1, 2), **how}

    def causal(self, texts):
        if texts["mask_form"] == "full":
            return False
        if (texts["causal"], texts["window_left"], texts["window_right"]) != ("1", "-1", "-1"):
            raise pipe.Refused("has no masks but full and causal")
        return True

    def rows_of_queries(self, texts, tensors):
        query, key, value = (tensors[name].shape for name in ("query", "key", "value"))
        causal = self.causal(texts)
        if value[3] != key[3]:
            raise pipe.Refused("value has as many channels as key")
        if causal and query[2] != key[2]:
            raise pipe.Refused("causal masks are of as many queries as keys")
        if 0 in (*query, *key):
            raise pipe.Refused("nothing is empty")
        if query[1] % self.mesh.ulysses or key[1] % self.mesh.ulysses:
            raise pipe.Refused(f"{query[1]} heads, {key[1]} for keys, cannot be dealt evenly to {self.mesh.ulysses}")
        self.system.refuse(self.variant, self.mesh, causal)
        return self.system.DEALING[self.variant](query[2], self.mesh)

    def rows_of_keys(self, tensors):
        return self.system.DEALING[self.variant](tensors["key"].shape[2], self.mesh)

    def whole(self, parts, rows):
        """[batch, heads, rows, ...] of what each rank has, [batch, its rows, heads, ...]."""
        together = numpy.concatenate(parts, axis=1)
        together = together[:, numpy.argsort(numpy.concatenate(rows))]
        return numpy.ascontiguousarray(together.swapaxes(1, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system")
    parser.add_argument("--variant")
    parser.add_argument("--mesh", type=Mesh, default=Mesh("ring:2"))
    parser.add_argument("--dtype", choices=numerics.STORED, default="f32")
    arguments = parser.parse_args()
    channel = pipe.private_output()
    try:
        program = Program(arguments.system, arguments.variant, arguments.mesh, arguments.dtype)
    except Exception as error:
        pipe.serve(channel, {"describe": lambda texts, tensors, why=error: raise_again(why)})
        return
    pipe.serve(channel, {"describe": program.describe, "forward": program.forward, "backward": program.backward})


def raise_again(error):
    raise error


if __name__ == "__main__":
    main()
