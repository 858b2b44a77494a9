# SPDX-License-Identifier: Apache-2.0
"""A peer that is ready for one problem."""
import time


class Prepared:
    """`work` is what is timed; what `before` returns is handed to it, and is not timed."""

    def __init__(self, work, result, notes, before=lambda: ()):
        self.work, self.answer, self.notes, self.before = work, result, notes, before
        self.latest = None

    def call(self):
        handed = self.before()
        begin = time.perf_counter()
        self.latest = self.work(*handed)
        return time.perf_counter() - begin

    def result(self):
        """The answer to the forward pass as an array [batch, heads, queries, channels]."""
        return self.answer(self.latest)
