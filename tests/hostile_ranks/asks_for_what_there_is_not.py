# SPDX-License-Identifier: Apache-2.0
# Asks for an operation that is none.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
from ring_of_examples import ring


class Inventive(ring.Ring):
    def hop(self, step, tensors):
        ring.ask("broadcast")
        return super().hop(step, tensors)


ring.Ring = Inventive
ring.main()
