# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the pages: draw.py [ATTESTONE]. The picture of the rooms is drawn from the includes of the tree, the
others from runs of the program."""
import collections
import functools
import json
import math
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent.parent
RIGHT, WRONG, LOST, QUIET = "#0b7285", "#c2410c", "#eef1f4", "#6e7781"
DARK = f"svg{{background:#0d1117;fill:#e6edf3}} .quiet{{fill:#9da7b3}} rect[fill='{LOST}']{{fill:#21262d}} line{{stroke:#9da7b3}}"
STYLE = (f"svg{{background:#fff;font:12px system-ui,sans-serif;fill:#24292f}} .quiet{{fill:{QUIET}}} .head{{font-weight:600}} "
         f"@media (prefers-color-scheme:dark){{{DARK}}}")


def answer(*words):
    """Runs the program and returns its json; a kernel that does not conform is not an error here."""
    return json.loads(subprocess.run([sys.argv[1], *words, "--format=json"], stdout=subprocess.PIPE, text=True).stdout)


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def box(x, y, width, height, colour):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>'


def write(name, width, height, title, parts):
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    lines = [opening, f"<title>{title}</title>", f"<style>{STYLE}</style>", *parts, "</svg>"]
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def draw_masks():
    """Draws the keys that each query should use and does use: the report of README's kernel shows the same in letters."""
    problem = "shape=2x4/2x6x38x64 mask=causal dtype=bf16"
    run = answer("run", "--kernel=lost_tail", "--property=value_bound", "--no-shrink", problem)["runs"][0]
    rows = [line.split() for line in run["read_out"] if line.lstrip().startswith("q") and "#" in line]
    cell, left, top = 9, 40, 44
    beside = left + cell * len(rows[0][1]) + 40
    parts = [text(left, 18, "should use", "head"), text(beside, 18, "uses", "head"), text(left, 34, "keys →", "quiet")]
    for number, (query, should, uses, *_) in enumerate(rows):
        y = top + number * (cell + 3)
        parts.append(text(left - 8, y + cell, query, "quiet", "end"))
        for place, letter in enumerate(should):
            parts.append(box(left + place * cell, y, cell - 1, cell, RIGHT if letter == "#" else LOST))
        for place, (letter, right) in enumerate(zip(uses, should)):
            colour = WRONG if letter != right else RIGHT if letter == "#" else LOST
            parts.append(box(beside + place * cell, y, cell - 1, cell, colour))
    below = top + len(rows) * (cell + 3) + 20
    parts.append(text(beside, below, "orange: keys that it should use and does not", "quiet"))
    write("masks.svg", beside + cell * len(rows[0][1]) + 20, below + 14, "The mask that a wrong kernel really uses", parts)


def draw_shares():
    """Draws the largest share of its bounds that a right kernel uses, from 16 to 8,192 keys."""
    keys = [2**n for n in range(4, 14)]
    runs = [answer("run", "--kernel=flash", "--property=value_bound", f"shape=1x1x16x{n}x64 dtype=f32,bf16") for n in keys]
    left, top, wide, high = 60, 40, 420, 220

    def place(number, share):
        return left + wide * number / (len(keys) - 1), top + high * -math.log10(share) / 4

    parts = [text(left, 20, "largest error / bound of flash, by visible keys", "head")]
    for power in range(5):
        y = top + high * power / 4
        parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{y}" y2="{y}" stroke="{LOST}"/>')
        parts.append(text(left - 8, y + 4, f"{10.0**-power:g}", "quiet", "end"))
    for number, n in enumerate(keys):
        parts.append(text(place(number, 1)[0], top + high + 18, n, "quiet", "middle"))
    parts.append(text(left + wide + 10, top + 4, "1: wrong", "quiet"))
    for dtype, colour in (("bf16", WRONG), ("f32", RIGHT)):
        for share, dashes in (("r_prob", ""), ("r_det", "4 4")):
            points = [place(number, run["runs"][0]["accuracy"][dtype][share]) for number, run in enumerate(runs)]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>')
            below = 14 if dashes else -2
            parts.append(text(left + wide + 10, points[-1][1] + below, f"{share}, {dtype}"))
    write("shares.svg", left + wide + 110, top + high + 34, "What share of its bounds a right kernel uses", parts)


LAYERS = {
    "reference": "what attention is",
    "backends": "other ways to compute it",
    "simulate": "devices that do not exist",
    "mutants": "kernels that are wrong on purpose: a library of their own",
    "conformance": "whether they agree",
}


def layer_of(path):
    """The layer of a file or folder, or None."""
    return next((layer for layer in LAYERS if path.startswith(layer + "/")), None)


def room_of(file):
    """The layer of a file, its folder there ("" for the layer's own files), and the path from that folder to the file's."""
    layer = layer_of(file)
    outer, *inner = file[len(layer) + 1 :].split("/")[:-1] or [""]
    return layer, outer, "/".join(inner)


def tree():
    """The folders inside every room, and the rooms of its layer that it includes; the same for each of those folders."""
    inside, includes = collections.defaultdict(set), collections.defaultdict(set)
    for path in sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*")
                       if path.suffix in {".hpp", ".cpp", ".h", ".c"}):
        layer, outer, inner = room_of(path.relative_to(ROOT).as_posix())
        inside[layer, outer].update({inner} - {""})
        for included in re.findall(r'^ *# *include "([^"]+)"', path.read_text(), re.MULTILINE):
            if layer_of(included) == layer:
                includes[layer, outer].add(room_of(included)[:2])
                includes[layer, outer, inner].add(room_of(included))
    return inside, includes


def outline(folders):
    """Each folder as (depth, name), below a line for the folder that holds it."""
    lines = []
    for folder in folders:
        *outer, name = folder.split("/")
        lines += [line for line in enumerate(outer) if line not in lines]
        lines.append((len(outer), name))
    return lines


def draw_rooms():
    """Draws every room; it includes only rooms in columns to its left, or in bands above. The folders in a room follow the
    same order from top to bottom."""
    inside, includes = tree()

    @functools.cache
    def depth(room):
        return max((depth(other) + 1 for other in includes[room] - {room}), default=0)

    wide, line, gap, top, highest = 132, 15, 8, 26, 110
    parts, y, most = [], 10, 0
    for layer, says in LAYERS.items():
        parts += [text(10, y + 14, f"{layer}/", "head"), text(10 + 8 * len(layer) + 14, y + 14, says, "quiet")]
        rooms = sorted((room for room in inside if room[0] == layer), key=lambda room: (depth(room), len(inside[room]), room))
        column, lowest, below = -1, 0, 0
        for before, room in zip([None, *rooms], rooms):
            inner = outline(sorted(inside[room], key=lambda name: (depth((*room, name)), name)))
            high = line * (1 + len(inner)) + gap
            if not before or depth(before) < depth(room) or below + high > y + top + highest:
                column, below = column + 1, y + top
            x = 10 + column * (wide + gap)
            parts += [box(x, below, wide, high, LOST), text(x + 8, below + line, f"{room[1]}/" if room[1] else "its own files")]
            parts += [text(x + 18 + 10 * deeper, below + line * (2 + place), f"{name}/", "quiet")
                      for place, (deeper, name) in enumerate(inner)]
            below += high + gap
            lowest, most = max(lowest, below), max(most, column + 1)
        y = lowest + gap
    write("rooms.svg", 12 + most * (wide + gap), y, "The rooms: each includes only rooms to its left or above", parts)


draw_rooms()
if len(sys.argv) > 1:
    draw_masks()
    draw_shares()
