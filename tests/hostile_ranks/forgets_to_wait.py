# SPDX-License-Identifier: Apache-2.0
# Never waits for what it has sent.
# expect: request-not-awaited --mesh=ring:2 --property=value_bound 'shape=1x1x4x4x2'
from ring_of_examples import ring


def arrived(requests):
    return [ring.wait(request)["payload"][0] for request in requests[2:]]


ring.arrived = arrived
ring.main()
