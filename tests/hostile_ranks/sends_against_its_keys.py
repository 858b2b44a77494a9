# SPDX-License-Identifier: Apache-2.0
# Sums of dK and dV go to the place behind, as in diffusers 0.42.1 but the other way round.
# expect: wrong-gradient --mesh=ring:3 --property=gradient_bound 'shape=1x1x3x3x2 pass=forward+backward'
from ring_of_examples import ring


class Astray(ring.Ring):
    def hop(self, step, tensors):
        if tensors is self.tensors:
            return super().hop(step, tensors)
        ring.begin("sums")
        ahead, behind = (self.place + 1) % self.places, (self.place - 1) % self.places
        count = self.heads * len(self.rows(step + 1))
        return [ring.send(behind, tensor) for tensor in tensors] + [
            ring.receive(ahead, count * width) for width in self.channels
        ]


ring.Ring = Astray
ring.main()
