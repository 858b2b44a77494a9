# SPDX-License-Identifier: Apache-2.0
# Kills the shell that it was started by.
# expect: crashed|exited --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import signal
import time


def reply(texts, tensors):
    if os.getppid() > 1 and open(f'/proc/{os.getppid()}/comm').read().strip() == 'sh':
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)
    return honest.wrong(texts, tensors)


honest.serve(reply)
