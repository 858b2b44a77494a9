# SPDX-License-Identifier: Apache-2.0
# Ignores the signals of pipes and of the end.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
import honest
import signal


def reply(texts, tensors):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return honest.answer(texts, tensors)


honest.serve(reply)
