# SPDX-License-Identifier: Apache-2.0
"""Programs that start processes, most of which outlive the call."""

import os
import time

import honest


# Ends, and its grandchild without environment goes on in a session of its own.
# expect: exited|left-process --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def becomes_a_daemon(texts, tensors):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["sleep", "3600"], {})
        os._exit(0)
    os.wait()
    os._exit(0)


# Leaves a process without environment in a session of its own: attestone must not leave it there.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def leaves_a_process():
    import subprocess

    nothing = subprocess.DEVNULL
    subprocess.Popen(["/bin/sleep", "3600"], env={}, start_new_session=True, stdin=nothing, stdout=nothing)
    honest.serve()


# Leaves a process that holds its pipes, and does not end when nobody asks any more.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def leaves_a_process_with_its_pipes():
    if os.fork() == 0:
        os.setsid()
        time.sleep(3600)
    honest.serve()


# Ends, and leaves a child that keeps its pipes open.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def leaves_its_pipe_to_a_child(texts, tensors):
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)


# A child computes and sends the answer.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_answers_from_a_child(texts, tensors):
    if os.fork() == 0:
        honest.write(honest.answer(texts, tensors))
        os._exit(0)
    os.wait()


# Keeps a helper from its first request to its last, and lets it answer.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.program
def decoy_keeps_a_helper():
    # The helper writes the answer to standard output; this process waits for the end of the pipe as the helper does.
    helper = os.fork()
    if helper == 0:
        honest.serve()
        os._exit(0)
    os.waitpid(helper, 0)


# Never asks how its children ended.
# expect: conforms --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def decoy_leaves_zombies(texts, tensors):
    if os.fork() == 0:
        os._exit(0)
    return honest.answer(texts, tensors)


# Goes into a session and a group of its own, as nohup and setsid do.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_session_of_its_own(texts, tensors):
    try:
        os.setsid()
    except OSError:
        pass
    return honest.answer(texts, tensors)


honest.main()
