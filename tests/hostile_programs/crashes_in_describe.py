# SPDX-License-Identifier: Apache-2.0
# Ends by a signal when it is asked what it is.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest
import os
import signal

if honest.receive() is not None:
    os.kill(os.getpid(), signal.SIGSEGV)
honest.serve()
