# SPDX-License-Identifier: Apache-2.0
# Answers what it is with a message of no bytes.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

if honest.receive() is not None:
    honest.write(bytes(8))
honest.serve()
