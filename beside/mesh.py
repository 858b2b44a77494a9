# SPDX-License-Identifier: Apache-2.0
"""A mesh as attestone writes it, `ulysses:2+ring:2`: its axes, the first one innermost."""


class Mesh:
    def __init__(self, text):
        self.text = text
        self.axes = {name: int(size) for name, size in (axis.split(":") for axis in text.split("+"))}
        if not set(self.axes) <= {"ulysses", "ring"}:
            raise ValueError(f"{text}: axes are ulysses and ring")

    @property
    def ring(self):
        return self.axes.get("ring", 1)

    @property
    def ulysses(self):
        return self.axes.get("ulysses", 1)

    @property
    def ranks(self):
        return self.ring * self.ulysses
