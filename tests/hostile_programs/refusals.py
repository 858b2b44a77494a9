# SPDX-License-Identifier: Apache-2.0
"""Programs that refuse, or say that something went wrong, when they should not or in words that do harm."""

import honest


# Refuses whatever it is asked.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def refuses_everything(texts, tensors):
    return honest.message({"__metadata__": {"refused": "not today"}})


# Answers a problem once, and refuses it when it is asked again.
# expect: refused-later --property=repeats_bitwise 'shape=1x1x2x3x4'
@honest.program
def refuses_later():
    calls = []

    def reply(texts, tensors):
        calls.append(texts["problem"])
        if len(calls) > 1:
            return honest.message({"__metadata__": {"refused": "tired"}})
        return honest.answer(texts, tensors)

    honest.serve(reply)


# Refuses, and answers all the same.
# expect: wrong-protocol|refused --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def refuses_and_answers(header, data):
    header["__metadata__"] = {"refused": "too small"}
    return header, data


# Refuses, and says that something went wrong.
# expect: wrong-protocol|error-status --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def refuses_and_fails(header, data):
    return {"__metadata__": {"refused": "too small", "error": "out of tiles"}}, b""


# What it refuses with erases the screen.
# expect: refused --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def refuses_with_a_report(texts, tensors):
    return honest.message({"__metadata__": {"refused": '\033[2J\033]0;title\007\rconforms\n\n\x9b1m'}})


# Says that something went wrong, and answers all the same.
# expect: wrong-protocol|error-status --property=value_bound 'shape=1x1x2x3x4'
@honest.changes_message
def fails_and_answers(header, data):
    header["__metadata__"] = {"error": "out of tiles"}
    return header, data


# Says that something went wrong, and not what.
# expect: error-status --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def error_without_words(texts, tensors):
    return honest.message({"__metadata__": {"error": ""}})


# What it says went wrong erases the screen and holds a report of its own, in every format.
# expect: error-status --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def error_with_a_report(texts, tensors):
    return honest.message({"__metadata__": {"error": honest.REPORT}})


# What it says went wrong holds half of a surrogate pair, and letters without end.
# expect: error-status|wrong-protocol --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def error_with_half_a_letter(texts, tensors):
    return honest.message({"__metadata__": {"error": '\ud800 \u0000 \uffff \u202e'}})


# Tells a million letters about what went wrong.
# expect: error-status --property=value_bound 'shape=1x1x2x3x4'
@honest.reply
def error_of_a_megabyte(texts, tensors):
    return honest.message({"__metadata__": {"error": "tile " * 200_000}})


# Errs for 13 keys, and from then on for everything.
# expect: error-status --property=value_bound,guards 'shape=1x1x2x13x4,1x1x2x3x4,1x1x2x5x4'
@honest.program
def errs_for_good():
    broken = []

    def reply(texts, tensors):
        if tensors["key"][1][2] == 13:
            broken.append(True)
        if broken:
            return honest.message({"__metadata__": {"error": "an illegal memory access was encountered"}})
        return honest.answer(texts, tensors)

    honest.serve(reply)


honest.main()
