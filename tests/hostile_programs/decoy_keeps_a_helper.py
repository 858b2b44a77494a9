# SPDX-License-Identifier: Apache-2.0
# Keeps a helper from its first request to its last, and lets it answer.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import os

import honest

# What the helper writes to standard output is the answer; this process waits for the end of the pipe as it does.
helper = os.fork()
if helper == 0:
    honest.serve()
    os._exit(0)
os.waitpid(helper, 0)
