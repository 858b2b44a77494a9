# SPDX-License-Identifier: Apache-2.0
# Messages that are late and out of order change nothing.
# expect: conforms --mesh=ring:3 --faults=delay+reorder --property=value_bound 'shape=1x2x5x6x4'
from ring_of_examples import ring

ring.main()
