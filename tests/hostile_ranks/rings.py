# SPDX-License-Identifier: Apache-2.0
"""Programs that ranks of a mesh run: the ring of examples/python, changed by the function named in the command."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python"))
sys.dont_write_bytecode = True
import ring  # noqa: E402

send, receive = ring.send, ring.receive
CASES = {}


def case(change):
    """Decorates a change of the ring, which is made before the ring runs."""
    CASES[change.__name__] = change
    return change


# Waits for the place behind before it sends: all wait for each other.
# expect: deadlock --mesh=ring:3 --property=value_bound 'shape=1x1x3x3x2'
@case
def receives_before_it_sends():
    class LateRing(ring.Ring):
        def hop(self, step, tensors):
            ring.begin("hop")
            count = self.heads * len(self.rows(step + 1))
            behind, ahead = (self.place - 1) % self.places, (self.place + 1) % self.places
            payloads = [ring.wait(ring.receive(behind, count * width))["payload"][0] for width in self.channels]
            for tensor in tensors:
                ring.wait(ring.send(ahead, tensor))
            return payloads

    ring.Ring = LateRing
    ring.arrived = lambda payloads: payloads


# Place 1 ends in the middle of a call.
# expect: crashed --mesh=ring:3 --property=value_bound 'shape=1x1x3x3x2'
@case
def one_rank_dies():
    class Mortal(ring.Ring):
        def hop(self, step, tensors):
            if self.place == 1 and step == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().hop(step, tensors)

    ring.Ring = Mortal


# Place 0 sleeps in its second step.
# expect: hung --mesh=ring:2 --timeout=1s --property=value_bound 'shape=1x1x2x2x2'
@case
def one_rank_hangs():
    class Asleep(ring.Ring):
        def hop(self, step, tensors):
            time.sleep(1000 if self.place == 0 else 0)
            return super().hop(step, tensors)

    ring.Ring = Asleep


# Place 2 exits before it has sent anything.
# expect: exited --mesh=ring:3 --property=value_bound 'shape=1x1x3x3x2'
@case
def one_rank_leaves():
    class Gone(ring.Ring):
        def hop(self, step, tensors):
            if self.place == 2:
                sys.exit(7)
            return super().hop(step, tensors)

    ring.Ring = Gone


# Asks for an operation that is none.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
@case
def asks_for_what_there_is_not():
    class Inventive(ring.Ring):
        def hop(self, step, tensors):
            ring.ask("broadcast")
            return super().hop(step, tensors)

    ring.Ring = Inventive


# Sends to a place behind the last one.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
@case
def names_a_place_that_there_is_not():
    ring.send = lambda to, values: send(to + 2, values)


# Receives as many elements as no memory has; in bits they are none, modulo two to the sixty-fourth.
# expect: wrong-protocol --mesh=ring:2 --property=value_bound 'shape=1x1x2x2x2'
@case
def receives_more_than_there_is():
    ring.receive = lambda source, count: receive(source, 2**62)


# Place 0 receives one element more than is sent.
# expect: mismatched-message --mesh=ring:2 --property=value_bound 'shape=1x1x4x4x2'
@case
def expects_another_size():
    ring.receive = lambda source, count: receive(source, count + (source == 1))


# Never waits for what it has sent.
# expect: request-not-awaited --mesh=ring:2 --property=value_bound 'shape=1x1x4x4x2'
@case
def forgets_to_wait():
    def arrived(requests):
        return [ring.wait(request)["payload"][0] for request in requests[2:]]

    ring.arrived = arrived


# The ring is right, and a message of the world is lost.
# expect: lost-message --mesh=ring:3 --faults=drop --property=value_bound 'shape=1x2x5x6x4'
@case
def loses_a_message():
    pass


# Place 1 sends K twice in place of K and V, which are as large.
# expect: wrong-number --mesh=ring:2 --property=value_bound 'shape=1x2x4x4x4'
@case
def one_rank_sends_no_value():
    class Forgetful(ring.Ring):
        def hop(self, step, tensors):
            return super().hop(step, [tensors[0], tensors[0]] if self.place == 1 else tensors)

    ring.Ring = Forgetful


# Sums of dK and dV go to the place behind, as in diffusers 0.42.1 but the other way round.
# expect: wrong-gradient --mesh=ring:3 --property=gradient_bound 'shape=1x1x3x3x2 pass=forward+backward'
@case
def sends_against_its_keys():
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


# Sends to the place behind, and takes what comes from the place ahead for the keys of the place behind.
# expect: wrong-number --mesh=ring:3 --property=value_bound 'shape=1x2x6x6x4 mask=causal'
@case
def swapped_permutation():
    ring.send = lambda to, values: send((to + 1) % 3, values)
    ring.receive = lambda source, count: receive((source + 2) % 3, count)


# The ring as it stands, with fewer rows than places, a mask, unequal lengths and shared kv heads.
# expect: conforms --mesh=ring:2,ring:3+batch:2 'shape=2x4/2x5x7x4 mask=full,causal lengths=3+7 pass=forward+backward'
@case
def decoy_right():
    pass


# Messages that are late and out of order change nothing.
# expect: conforms --mesh=ring:3 --faults=delay+reorder --property=value_bound 'shape=1x2x5x6x4'
@case
def decoy_on_slow_messages():
    pass


# Waits for what it receives before what it has sent, the last first.
# expect: conforms --mesh=ring:3 --property=value_bound,gradient_bound 'shape=1x2x5x7x4 pass=forward+backward'
@case
def decoy_waits_in_another_order():
    def arrived(requests):
        answers = [ring.wait(request) for request in reversed(requests)]
        return [answer["payload"][0] for answer in reversed(answers) if answer]

    ring.arrived = arrived


CASES[sys.argv[1]]()
ring.main()
