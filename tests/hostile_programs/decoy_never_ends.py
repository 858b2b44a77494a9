# SPDX-License-Identifier: Apache-2.0
# Goes on when nobody asks any more, and ignores being told to end.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import signal
import time

import honest

signal.signal(signal.SIGTERM, signal.SIG_IGN)
honest.serve()
time.sleep(3600)
