# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the pages from runs of the program: draw.py ATTESTONE."""
import json
import math
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
RIGHT, WRONG, LOST, QUIET = "#0b7285", "#c2410c", "#eef1f4", "#6e7781"
STYLE = f"svg{{background:#fff;font:12px system-ui,sans-serif;fill:#24292f}} .quiet{{fill:{QUIET}}} .head{{font-weight:600}}"


def answer(*words):
    """What the program answers in json; a kernel that does not conform is no error here."""
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
    """The keys that each query should use and does use, as the report of README's kernel shows them in letters."""
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
    """The largest share of its bounds that a right kernel uses, from 16 to 8,192 keys."""
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


draw_masks()
draw_shares()
