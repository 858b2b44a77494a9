# SPDX-License-Identifier: Apache-2.0
# Kills attestone's process that watches it, if that is not the judge itself, and never answers.
# expect: crashed|hung|exited --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import os
import signal
import time

import honest
import judge


def reply(texts, tensors):
    for process in judge.attestones_above()[:-1]:
        os.kill(process, signal.SIGKILL)
    time.sleep(3600)


honest.serve(reply)
