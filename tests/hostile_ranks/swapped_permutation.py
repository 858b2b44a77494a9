# SPDX-License-Identifier: Apache-2.0
# Sends to the place behind, and takes what comes from the place ahead for the keys of the place behind.
# expect: wrong-number --mesh=ring:3 --property=value_bound 'shape=1x2x6x6x4 mask=causal'
from ring_of_examples import ring

send, receive = ring.send, ring.receive
ring.send = lambda to, values: send((to + 1) % 3, values)
ring.receive = lambda source, count: receive((source + 2) % 3, count)
ring.main()
