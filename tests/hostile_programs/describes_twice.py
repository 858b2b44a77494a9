# SPDX-License-Identifier: Apache-2.0
# Says twice what it is.
# expect: wrong-protocol|usage --property=value_bound 'shape=1x1x2x3x4'
import honest

if honest.receive() is not None:
    honest.write(2 * honest.message({"__metadata__": {"name": "twice", "limits": honest.LIMITS}}))
honest.serve()
