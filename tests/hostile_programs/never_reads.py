# SPDX-License-Identifier: Apache-2.0
# Never reads a request that is larger than any pipe.
# expect: hung --timeout=3s --property=value_bound 'shape=1x4x64x64x64'
import time

import honest

honest.receive()
honest.write(honest.message({"__metadata__": {"limits": honest.LIMITS}}))
time.sleep(3600)
