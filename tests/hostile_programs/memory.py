# SPDX-License-Identifier: Apache-2.0
"""Programs that take more memory than they may, and one that stays below the limit."""

import os
import sys
import time

import honest


# Takes 600 MB.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def takes_memory(texts, tensors):
    taken = bytearray(600 << 20)
    time.sleep(0.5)
    return honest.answer(texts, tensors) if taken else None


# A child takes 600 MB, while its parent waits.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def takes_memory_in_a_child(texts, tensors):
    if os.fork() == 0:
        taken = bytearray(600 << 20)
        time.sleep(0.5)
        os._exit(len(taken) & 1)
    os.wait()
    return honest.answer(texts, tensors)


# Another program that it starts takes 600 MB.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def takes_memory_in_another_program(texts, tensors):
    import subprocess

    subprocess.run([sys.executable, "-S", "-c", "import time; taken = bytearray(600 << 20); time.sleep(0.5)"], env={})
    return honest.answer(texts, tensors)


# Takes 600 MB when it is asked what it is.
# expect: usage|too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def takes_memory_in_describe():
    if honest.receive() is not None:
        taken = bytearray(600 << 20)
        time.sleep(0.5)
        honest.write(honest.message({"__metadata__": {"name": str(len(taken)), "limits": honest.LIMITS}}))
    honest.serve()


# Eight children take 80 MB each: none of them too much, all of them together.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def takes_memory_in_many_children(texts, tensors):
    for _ in range(8):
        if os.fork() == 0:
            taken = bytearray(80 << 20)
            time.sleep(1)
            os._exit(len(taken) & 1)
    for _ in range(8):
        os.wait()
    return honest.answer(texts, tensors)


# Never gives back the 100 MB of a call.
# expect: too-much-memory --memory-limit=256M --property=guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.program
def leaks():
    leaked = []

    def reply(texts, tensors):
        leaked.append(bytearray(100 << 20))
        time.sleep(0.1)
        return honest.answer(texts, tensors)

    honest.serve(reply)


# Takes 100 MB in a call, which the limit allows.
# expect: conforms --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def decoy_memory_below_the_limit(texts, tensors):
    taken = bytearray(100 << 20)
    return honest.answer(texts, tensors) if taken else None


honest.main()
