# SPDX-License-Identifier: Apache-2.0
"""Programs that attack the processes above them: the keeper, and the judge itself."""

import os
import signal
import time

import honest
import judge


# Kills every process of its group.
# expect: crashed --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def kills_its_group(texts, tensors):
    os.kill(0, signal.SIGKILL)


# Kills the shell that it was started by.
# expect: crashed|exited --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def kills_its_parent(texts, tensors):
    if os.getppid() > 1 and open(f"/proc/{os.getppid()}/comm").read().strip() == "sh":
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)
    return honest.wrong(texts, tensors)


# Kills attestone's process that watches it, if that is not the judge itself, and never answers.
# expect: crashed|hung|exited --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def kills_its_keeper(texts, tensors):
    for process in judge.attestones_above()[:-1]:
        os.kill(process, signal.SIGKILL)
    time.sleep(3600)


# Would rather have no verdict than a bad one.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
# expect without own processes: crashed
@honest.reply
def kills_the_judge(texts, tensors):
    for process in judge.attestones_above()[-1:]:
        os.kill(process, signal.SIGKILL)
    return honest.wrong(texts, tensors)


# Interrupts the judge as its user would, and answers wrongly.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
# expect without own processes: crashed
@honest.reply
def signals_the_judge(texts, tensors):
    for process in judge.attestones_above()[-1:]:
        os.kill(process, signal.SIGINT)
    return honest.wrong(texts, tensors)


def near(found, sloppy):
    return all(abs(x - y) <= 2**-11 * abs(y) for x, y in zip(found, sloppy))


def improved(process, sloppy):
    """The first doubles in a row that the sloppy answer may stand for."""
    try:
        memory = open(f"/proc/{process}/mem", "rb", buffering=0)
    except OSError:
        return sloppy
    # Doubles near the first element share the three highest bytes with it, if it lies well between two such.
    high = honest.struct.pack("<d", sloppy[0])[5:]
    for begin, end in judge.writable_pieces(process):
        if end - begin > 16 << 20:
            continue
        try:
            memory.seek(begin)
            piece = memory.read(end - begin)
        except (OSError, OverflowError):
            continue
        place = piece.find(high)
        while place >= 0:
            for step in (8, 16, 24, 32):
                at = [place - 5 + step * i for i in range(len(sloppy))]
                if at[0] >= 0 and at[-1] + 8 <= len(piece):
                    found = [honest.struct.unpack_from("<d", piece, i)[0] for i in at]
                    if near(found, sloppy):
                        return found
            place = piece.find(high, place + 1)
    return sloppy


# Searches the judge's memory for doubles near a sloppy answer of its own, and answers those.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def reads_the_truth(texts, tensors):
    result = honest.forward(texts, tensors)
    out, shape = result["out"]
    sloppy = [x * (1 + 2**-12) for x in out]
    for process in judge.attestones_above():
        sloppy = improved(process, sloppy) if sloppy else sloppy
    result["out"] = (honest.array.array("f", sloppy), shape)
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


# Zeroes what the judge may write, through /proc.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def scribbles_over_the_judge(texts, tensors):
    for process in judge.attestones_above()[-1:]:
        try:
            memory = os.open(f"/proc/{process}/mem", os.O_WRONLY)
        except OSError:
            break
        for begin, end in judge.writable_pieces(process):
            try:
                os.pwrite(memory, bytes(min(end - begin, 65536)), begin)
            except (OSError, OverflowError):
                pass
        os.close(memory)
    return honest.wrong(texts, tensors)


# Writes an answer into every descriptor of the processes above that it may open, and answers wrongly.
# expect: wrong-number|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def writes_to_its_keepers_descriptors(texts, tensors):
    right = honest.answer(texts, tensors)
    for process in judge.attestones_above():
        for descriptor in range(3, 32):
            try:
                os.write(os.open(f"/proc/{process}/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK), right)
            except OSError:
                pass
    return honest.wrong(texts, tensors)


honest.main()
