# SPDX-License-Identifier: Apache-2.0
# The ring is right, and a message of the world is lost.
# expect: lost-message --mesh=ring:3 --faults=drop --property=value_bound 'shape=1x2x5x6x4'
from ring_of_examples import ring

ring.main()
