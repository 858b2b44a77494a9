# SPDX-License-Identifier: Apache-2.0
# Says in 5 KB what it takes, and the last words count: two channels at most.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(honest.wrong, description={"limits": honest.LIMITS + " " * 5_000 + "max_dim=2"})
