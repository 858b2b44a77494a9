# SPDX-License-Identifier: Apache-2.0
# Sends to a place behind the last one.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
from ring_of_examples import ring

right = ring.send
ring.send = lambda to, values: right(to + 2, values)
ring.main()
