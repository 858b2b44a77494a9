# SPDX-License-Identifier: Apache-2.0
# Place 2 exits before it has sent anything.
# expect: exited --mesh=ring:3 --property=value_bound 'shape=1x1x3x3x2'
import sys

from ring_of_examples import ring


class Gone(ring.Ring):
    def hop(self, step, tensors):
        if self.place == 2:
            sys.exit(7)
        return super().hop(step, tensors)


ring.Ring = Gone
ring.main()
