# SPDX-License-Identifier: Apache-2.0
"""Programs whose answers are well formed: honest ones, and some that are wrong, remembered or not repeated."""

import os

import honest


# The honest program, for scripts of the shell.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def honest_program():
    honest.serve()


# Answers NaN everywhere.
# expect: wrong-non-finite --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def answers_not_a_number(texts, tensors):
    result = honest.forward(texts, tensors)
    nan = honest.array.array("f", [float("nan")] * len(result["out"][0]))
    result["out"] = (nan, result["out"][1])
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


# Its last bit depends on how many threads it is to use.
# expect: not-repeatable --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.reply
def answers_by_thread_count(texts, tensors):
    result = honest.forward(texts, tensors)
    if texts["threads"] != "1" and result["out"][0]:
        result["out"][0][0] *= 1 + 2**-23
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


# Answers each request with the answer to the one before.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
@honest.program
def answers_the_previous_request():
    previous = {}

    def reply(texts, tensors):
        result = honest.forward(texts, tensors)
        values, shape = right = result["out"]
        zeros = honest.array.array("f", bytes(4 * len(values)))
        result["out"] = previous.get(len(values), (zeros, shape))
        previous[len(values)] = right
        return honest.message(honest.header_of({}, result), honest.bytes_of(result))

    honest.serve(reply)


# Remembers its answers by the text of the problem.
# expect: stale-answer --property=answers_afresh 'shape=1x1x2x3x4'
@honest.program
def caches_by_problem():
    known = {}
    honest.serve(lambda texts, tensors: known.setdefault(texts["problem"], honest.answer(texts, tensors)))


# Remembers its answers by the shapes of its inputs.
# expect: stale-answer --property=answers_afresh 'shape=1x1x2x3x4'
@honest.program
def caches_by_shape():
    known = {}

    def reply(texts, tensors):
        return known.setdefault(str([tensor[1] for tensor in tensors.values()]), honest.answer(texts, tensors))

    honest.serve(reply)


# Declares that rows do not follow the keys behind the mask, and adds up otherwise from 7 keys on.
# expect: schedule --property=hidden_keys_invariant 'shape=1x1x5x5x4 mask=causal'
@honest.program
def follows_the_keys():
    def reply(texts, tensors):
        result = honest.forward(texts, tensors)
        if tensors["key"][1][2] > 6:
            result["out"][0][0] *= 1 + 2.0**-23
        return honest.message(honest.header_of({}, result), honest.bytes_of(result))

    honest.serve(reply, description={"numerics": "invariant=hidden_keys"})


# Is right when it is looked at, and sloppy from its second call on.
# expect: not-repeatable --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.program
def right_at_first():
    calls = []

    def reply(texts, tensors):
        calls.append(1)
        return honest.answer(texts, tensors) if len(calls) < 2 else honest.wrong(texts, tensors)

    honest.serve(reply)


# Goes to another directory.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
@honest.reply
def decoy_changes_its_directory(texts, tensors):
    os.chdir("/")
    return honest.answer(texts, tensors)


# Keeps what it found out about the machine in a file.
# expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x1x2x3x4'
# leaves: tuned.txt
@honest.reply
def decoy_leaves_a_file(texts, tensors):
    with open("tuned.txt", "w") as file:
        file.write("tile=64")
    return honest.answer(texts, tensors)


honest.main()
