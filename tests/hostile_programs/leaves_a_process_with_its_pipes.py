# SPDX-License-Identifier: Apache-2.0
# Leaves a process that holds its pipes, and does not end when nobody asks any more.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
import os
import time

import honest

if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
honest.serve()
