# SPDX-License-Identifier: Apache-2.0
# Place 0 sleeps in its second step.
# expect: hung --mesh=ring:2 --timeout=1s --property=value_bound 'shape=1x1x2x2x2'
import time

from ring_of_examples import ring


class Asleep(ring.Ring):
    def hop(self, step, tensors):
        time.sleep(1000 if self.place == 0 else 0)
        return super().hop(step, tensors)


ring.Ring = Asleep
ring.main()
