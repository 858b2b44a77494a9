# SPDX-License-Identifier: Apache-2.0
# Kills every process of its group.
# expect: crashed --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import signal


def reply(texts, tensors):
    os.kill(0, signal.SIGKILL)


honest.serve(reply)
