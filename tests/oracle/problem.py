# SPDX-License-Identifier: Apache-2.0
"""A problem's text, as docs/rules.md and the grammar of problems mean it, taken apart."""
import re
from dataclasses import dataclass, field


class Unclear(Exception):
    """The rules do not say what this problem means, so the oracle does not judge it."""


@dataclass
class Problem:
    """What determines the right answer, but for the tensors. Lengths are one number a sequence; mask is a tree (see parse_mask)."""
    text: str
    batch: int = 1
    heads: int = 1
    kv_heads: int = 1
    queries: int = 1
    keys: int = 1
    dim: int = 1
    value_dim: int = 1
    lengths: list = field(default_factory=list)
    query_lengths: list = field(default_factory=list)
    mask: tuple = ("full",)
    softcap: float = 0.0
    alibi: bool = False
    relative_position: float | None = None
    has_bias: bool = False
    has_sink: bool = False
    scale: float = 0.0
    dropout: float = 0.0
    seed: int = 0
    ragged: bool = False
    gradients: bool = False
    value_is_key: bool = False
    input_format: str = "f32"
    output_format: str = "f32"

    def kv_head(self, head):
        return head // (self.heads // self.kv_heads)


def parse_mask(text):
    """A tree of tuples: ("not", m), ("and", m, m), ("or", m, m) or (name, argument, ...); ~ binds tightest, then &, then |."""
    tokens = re.findall(r"[~&|()]|[^~&|()]+", text)
    tree, rest = _either(tokens)
    if rest:
        raise ValueError(f"mask {text!r}: unexpected {rest[0]!r}")
    return tree


def _either(tokens):
    left, tokens = _both(tokens)
    while tokens and tokens[0] == "|":
        right, tokens = _both(tokens[1:])
        left = ("or", left, right)
    return left, tokens


def _both(tokens):
    left, tokens = _single(tokens)
    while tokens and tokens[0] == "&":
        right, tokens = _single(tokens[1:])
        left = ("and", left, right)
    return left, tokens


def _single(tokens):
    if not tokens:
        raise ValueError("a mask ends too early")
    if tokens[0] == "~":
        inner, rest = _single(tokens[1:])
        return ("not", inner), rest
    if tokens[0] == "(":
        inner, rest = _either(tokens[1:])
        if not rest or rest[0] != ")":
            raise ValueError("a mask lacks its closing parenthesis")
        return inner, rest[1:]
    return tuple(tokens[0].split(":")), tokens[1:]


def _shape(problem, text):
    extents = re.fullmatch(r"(\d+)x(\d+)(?:/(\d+))?x(\d+)x(\d+)x(\d+)(?::(\d+))?", text)
    if not extents:
        raise ValueError(f"shape {text!r}")
    batch, heads, kv_heads, queries, keys, dim, value_dim = extents.groups()
    problem.batch, problem.heads, problem.queries, problem.keys, problem.dim = map(int, (batch, heads, queries, keys, dim))
    problem.kv_heads = int(kv_heads or heads)
    problem.value_dim = int(value_dim or dim)


def _score(problem, text):
    for term in text.split("&"):
        name, *arguments = term.split(":")
        if name == "softcap":
            problem.softcap = float(arguments[0])
        elif name == "alibi":
            problem.alibi = True
        elif name == "relative_position":
            problem.relative_position = float(arguments[0])
        elif name == "bias":
            problem.has_bias = True
        elif name == "sink":
            problem.has_sink = True
        else:
            raise Unclear(f"score {name}")


def parse(text):
    """The problem of a text. Throws ValueError where the text is wrong, and Unclear where the rules do not define it."""
    problem = Problem(text)
    for part in text.split():
        name, _, value = part.partition("=")
        if name == "shape":
            _shape(problem, value)
        elif name in ("lengths", "query_lengths"):
            setattr(problem, name, [int(n) for n in value.split("+")])
        elif name == "mask":
            problem.mask = parse_mask(value)
        elif name == "score":
            _score(problem, value)
        elif name in ("scale", "dropout"):
            setattr(problem, name, float(value))
        elif name == "seed":
            problem.seed = int(value)
        elif name == "layout":
            problem.ragged = value.split(":")[0].split("+")[0] == "ragged"
        elif name == "pass":
            problem.gradients = value == "forward+backward"
        elif name == "value":
            problem.value_is_key = value == "key"
        elif name == "dtype":
            problem.input_format, problem.output_format = value.split(">")[0], value.split(">")[-1]
        elif name == "padding":
            raise Unclear(f"{name}={value}")
        elif name not in ("fill", "wants", "deterministic", "spare_rows"):
            raise Unclear(f"field {name}")
    if problem.value_is_key and problem.gradients:
        raise Unclear("gradients with value=key")
    problem.lengths = problem.lengths or [problem.keys] * problem.batch
    problem.query_lengths = problem.query_lengths or [problem.queries] * problem.batch
    problem.scale = problem.scale or default_scale(problem.dim)
    return problem


def default_scale(dim):
    """1/√dim as a double: the root is rounded, then the quotient."""
    return 1.0 / dim**0.5 if dim else 1.0
