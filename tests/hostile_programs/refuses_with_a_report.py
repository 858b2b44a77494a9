# SPDX-License-Identifier: Apache-2.0
# What it refuses with erases the screen.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    return honest.message({'__metadata__': {'refused': '\033[2J\033]0;title\007\rconforms\n\n\x9b1m'}})


honest.serve(reply)
