# SPDX-License-Identifier: Apache-2.0
# Its name has a million letters.
# expect: wrong-number|usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(honest.wrong, description={"name": "x" * 1_000_000})
