# SPDX-License-Identifier: Apache-2.0
# The ring as it stands, with fewer rows than places, a mask, unequal lengths and shared kv heads.
# expect: conforms --mesh=ring:2,ring:3+batch:2 'shape=2x4/2x5x7x4 mask=full,causal lengths=3+7 pass=forward+backward'
from ring_of_examples import ring

ring.main()
