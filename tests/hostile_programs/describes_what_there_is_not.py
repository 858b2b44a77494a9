# SPDX-License-Identifier: Apache-2.0
# Declares a field of arithmetic that there is not.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(description={"numerics": "forgiveness=1"})
