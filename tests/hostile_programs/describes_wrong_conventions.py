# SPDX-License-Identifier: Apache-2.0
# Says that its logarithms are decimal.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(description={"conventions": "lse=log10"})
