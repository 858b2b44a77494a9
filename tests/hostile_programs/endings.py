# SPDX-License-Identifier: Apache-2.0
"""Programs that end, stop or hang instead of answering, and some that only end oddly."""

import os
import signal
import time

import honest


# Ends by a signal instead of answering.
# expect: crashed --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def crashes(texts, tensors):
    os.kill(os.getpid(), signal.SIGSEGV)


# An exception that nobody catches ends it.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def raises(texts, tensors):
    raise ValueError("no such tile")


# Ends well instead of answering.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def exits_well(texts, tensors):
    os._exit(0)


# Ends with status 3 instead of answering.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def exits_at_once(texts, tensors):
    os._exit(3)


# Ends well after each answer: whoever wants more may start it again.
# expect: exited --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def exits_between_calls(texts, tensors):
    honest.write(honest.answer(texts, tensors))
    os._exit(0)


# Stops itself, as Ctrl-Z does.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def stops_itself(texts, tensors):
    os.kill(os.getpid(), signal.SIGSTOP)
    return honest.answer(texts, tensors)


# Waits for ever instead of answering.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def hangs(texts, tensors):
    time.sleep(3600)


# Ignores the signals that might end it, and waits for ever.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def hangs_and_ignores_signals(texts, tensors):
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    time.sleep(3600)


# Ends with status 7 when nobody asks any more.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.program
def decoy_ends_badly():
    honest.serve()
    os._exit(7)


# Goes on when nobody asks any more, and ignores being told to end.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.program
def decoy_never_ends():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    honest.serve()
    time.sleep(3600)


# Ignores the signals of pipes and of the end.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_ignores_a_broken_pipe(texts, tensors):
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return honest.answer(texts, tensors)


honest.main()
