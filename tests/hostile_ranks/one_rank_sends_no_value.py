# SPDX-License-Identifier: Apache-2.0
# Place 1 sends K twice in place of K and V, which are as large.
# expect: wrong-number --mesh=ring:2 --property=value_bound 'shape=1x2x4x4x4'
from ring_of_examples import ring


class Forgetful(ring.Ring):
    def hop(self, step, tensors):
        return super().hop(step, [tensors[0], tensors[0]] if self.place == 1 else tensors)


ring.Ring = Forgetful
ring.main()
