# SPDX-License-Identifier: Apache-2.0
# Answers what it is with a tensor.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
import honest

if honest.receive() is not None:
    honest.write(honest.message({"name": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4)))
honest.serve()
