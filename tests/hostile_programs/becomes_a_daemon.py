# SPDX-License-Identifier: Apache-2.0
# Ends, and its grandchild without environment goes on in a session of its own.
# expect: exited|left-process --property=value_bound 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '3600'], {})
        os._exit(0)
    os.wait()
    os._exit(0)


honest.serve(reply)
