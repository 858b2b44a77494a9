# SPDX-License-Identifier: Apache-2.0
# Says that it takes at most minus three keys.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(description={"limits": "max_keys=-3"})
