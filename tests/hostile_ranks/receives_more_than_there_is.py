# SPDX-License-Identifier: Apache-2.0
# Receives as many elements as no memory has; in bits they are none, modulo two to the sixty-fourth.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
from ring_of_examples import ring

right = ring.receive
ring.receive = lambda source, count: right(source, 2**62)
ring.main()
