# SPDX-License-Identifier: Apache-2.0
# Place 0 receives one element more than is sent.
# expect: mismatched-message --mesh=ring:2 --property=value_bound 'shape=1x1x4x4x2'
from ring_of_examples import ring

right = ring.receive
ring.receive = lambda source, count: right(source, count + (source == 1))
ring.main()
