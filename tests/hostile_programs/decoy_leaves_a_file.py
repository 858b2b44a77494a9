# SPDX-License-Identifier: Apache-2.0
# Keeps what it found out about the machine in a file.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
# leaves: tuned.txt
import honest


def reply(texts, tensors):
    with open('tuned.txt', 'w') as file:
        file.write('tile=64')
    return honest.answer(texts, tensors)


honest.serve(reply)
