#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A library's attention on one device, as a program behind attestone's pipe.

    attestone run --program='python beside/kernel.py torch_sdpa --variant=math --dtype=bf16' --dtype=bf16
"""
import argparse
import importlib
import importlib.metadata

import pipe
from call import Call

FORMATS = ("f32", "f16", "bf16")


class Program:
    """One library in one format: what it declares depends on the format."""

    def __init__(self, library_name, variant, dtype, device):
        self.library = importlib.import_module(f"kernels.{library_name}")
        self.variant, self.dtype = variant or self.library.VARIANTS[0], dtype
        if self.variant not in self.library.VARIANTS:
            raise ValueError(f"{library_name} has {', '.join(self.library.VARIANTS)}")
        self.kernel = self.library.Kernel(self.variant, dtype, device)

    def describe(self, texts, tensors):
        version = importlib.metadata.version(self.library.PACKAGE)
        kernel = self.kernel
        return {"name": f"{self.library.PACKAGE} {version} {self.variant} {self.dtype}",
                "limits": f"dtypes={self.dtype} layouts=bhsd dropout=no mixed_output=no {kernel.limits}",
                "numerics": kernel.numerics, "conventions": kernel.conventions,
                "passes": "forward+backward" if hasattr(kernel, "backward") else "forward"}, {}

    def forward(self, texts, tensors):
        return {}, self.kernel.forward(Call(texts, tensors))

    def backward(self, texts, tensors):
        return {}, self.kernel.backward(Call(texts, tensors))


def refuse_all(error):
    """For a library that does not start: what it raised is the answer to every request."""
    def answer(texts, tensors):
        raise error
    return dict.fromkeys(("describe", "forward", "backward"), answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="a file of beside/kernels, as torch_sdpa")
    parser.add_argument("--variant", help="one of the library's VARIANTS; the first if nothing is given")
    parser.add_argument("--dtype", choices=FORMATS, default="f32")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where torch computes")
    arguments = parser.parse_args()
    channel = pipe.private_output()
    try:
        program = Program(arguments.library, arguments.variant, arguments.dtype, arguments.device)
    except Exception as error:
        pipe.serve(channel, refuse_all(error))
        return
    pipe.serve(channel, {"describe": program.describe, "forward": program.forward, "backward": program.backward})


if __name__ == "__main__":
    main()
