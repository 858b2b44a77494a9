# SPDX-License-Identifier: Apache-2.0
# Waits for ever when it is asked what it is.
# expect: usage --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest
import time

if honest.receive() is not None:
    time.sleep(3600)
honest.serve()
