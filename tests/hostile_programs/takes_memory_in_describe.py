# SPDX-License-Identifier: Apache-2.0
# Takes 600 MB when it is asked what it is.
# expect: usage|too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest
import time

if honest.receive() is not None:
    taken = bytearray(600 << 20)
    time.sleep(0.5)
    honest.write(honest.message({"__metadata__": {"name": str(len(taken)), "limits": honest.LIMITS}}))
honest.serve()
