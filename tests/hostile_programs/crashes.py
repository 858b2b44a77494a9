# SPDX-License-Identifier: Apache-2.0
# Ends by a signal instead of answering.
# expect: crashed --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import signal


def reply(texts, tensors):
    os.kill(os.getpid(), signal.SIGSEGV)


honest.serve(reply)
