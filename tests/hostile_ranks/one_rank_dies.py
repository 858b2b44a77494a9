# SPDX-License-Identifier: Apache-2.0
# Place 1 ends in the middle of a call.
# expect: crashed --mesh=ring:3 --property=value_bound 'shape=1x1x3x3x2'
import os
import signal

from ring_of_examples import ring


class Mortal(ring.Ring):
    def hop(self, step, tensors):
        if self.place == 1 and step == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().hop(step, tensors)


ring.Ring = Mortal
ring.main()
