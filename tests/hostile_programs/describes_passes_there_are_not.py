# SPDX-License-Identifier: Apache-2.0
# Says that it computes what nobody asks for.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(description={"passes": "sideways"})
