# SPDX-License-Identifier: Apache-2.0
"""Programs that misuse their standard streams: too few bytes, too many, too early, too late."""

import os
import sys
import time

import honest


# Says that its message has no bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_of_zero(texts, tensors):
    return bytes(8)


# Says that its message has a terabyte, which nobody should reserve.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_of_a_terabyte(texts, tensors):
    return honest.struct.pack("<Q", 2**40) + honest.answer(texts, tensors)[8:]


# Says that its message has 2^63 bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_of_half_of_all(texts, tensors):
    return honest.struct.pack("<Q", 2**63) + honest.answer(texts, tensors)[8:]


# Says that its message has 2^64 - 1 bytes.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_of_all(texts, tensors):
    return honest.struct.pack("<Q", 2**64 - 1) + honest.answer(texts, tensors)[8:]


# Says that its message is ten bytes longer than it is.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_too_large(texts, tensors):
    data = honest.answer(texts, tensors)
    return honest.struct.pack("<Q", len(data) + 2) + data[8:]


# Says that its message is ten bytes shorter than it is.
# expect: wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def size_too_small(texts, tensors):
    data = honest.answer(texts, tensors)
    return honest.struct.pack("<Q", len(data) - 18) + data[8:]


# Sends its answer twice.
# expect: wrong-protocol --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def answers_twice(texts, tensors):
    return 2 * honest.answer(texts, tensors)


# Sends its answer to the next request ahead: seen where it waits when that request goes out, else as the wrong one.
# expect: wrong-protocol|stale-answer --property=answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def answers_before_it_is_asked(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data)
    honest.write(data)
    honest.receive()


# Sends half of its answer, and ends well.
# expect: exited|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def answers_half_and_ends(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data[: len(data) // 2])
    os._exit(0)


# Sends half of its answer, and waits.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def answers_half_and_hangs(texts, tensors):
    data = honest.answer(texts, tensors)
    honest.write(data[: len(data) // 2])
    time.sleep(3600)


# Sends a byte of its answer each half a second: each in time, all of them too late.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def trickles(texts, tensors):
    for byte in honest.answer(texts, tensors):
        honest.write(bytes([byte]))
        time.sleep(0.5)


# Never reads a request that is larger than any pipe.
# expect: hung --timeout=3s --property=value_bound 'shape=1x4x64x64x64'
@honest.program
def never_reads():
    honest.receive()
    honest.write(honest.message({"__metadata__": {"limits": honest.LIMITS}}))
    time.sleep(3600)


# Closes its standard input when it has read the first request.
# expect: hung|exited|wrong-protocol --timeout=3s --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def closes_standard_input(texts, tensors):
    os.close(0)
    honest.write(honest.answer(texts, tensors))
    time.sleep(3600)


# Closes its standard output, and goes on waiting for requests.
# expect: exited|wrong-protocol|hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def closes_standard_output(texts, tensors):
    os.close(1)
    honest.receive()


# Tells standard output what it does.
# expect: wrong-protocol|printed --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def prints(texts, tensors):
    print("queries:", tensors["query"][1][2], flush=True)
    return honest.answer(texts, tensors)


# Prints that it is loading a model, as a library does that it imports.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def prints_first():
    if honest.receive() is not None:
        print("loading the model ...", flush=True)
        honest.write(honest.message({"__metadata__": {"limits": honest.LIMITS}}))
    honest.serve()


# Tells standard output that it is done.
# expect: wrong-protocol|printed --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def prints_behind_its_answer(texts, tensors):
    honest.write(honest.answer(texts, tensors))
    print("done", flush=True)


# Sends its answer byte by byte.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_byte_by_byte(texts, tensors):
    for byte in honest.answer(texts, tensors):
        honest.write(bytes([byte]))


# Sends its answer in ten pieces with pauses between them, all in time.
# expect: conforms --timeout=20s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def decoy_slowly(texts, tensors):
    data = honest.answer(texts, tensors)
    for begin in range(0, len(data), len(data) // 10):
        honest.write(data[begin : begin + len(data) // 10])
        time.sleep(0.02)


# Makes its pipes non-blocking.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_without_blocking(texts, tensors):
    os.set_blocking(1, False)
    return honest.answer(texts, tensors)


# Writes two megabytes on standard error with each answer, more than any pipe holds.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def decoy_talks_on_standard_error(texts, tensors):
    sys.stderr.write("tile by tile\n" * 160_000)
    return honest.answer(texts, tensors)


honest.main()
