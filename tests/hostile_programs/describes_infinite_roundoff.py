# SPDX-License-Identifier: Apache-2.0
# Declares that whatever it answers is rounded so.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(honest.wrong, description={"numerics": "output_roundoff=inf"})
