# SPDX-License-Identifier: Apache-2.0
# Prints that it is loading a model, as a library does that it imports.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

if honest.receive() is not None:
    print("loading the model ...", flush=True)
    honest.write(honest.message({"__metadata__": {"limits": honest.LIMITS}}))
honest.serve()
