# SPDX-License-Identifier: Apache-2.0
# Writes two megabytes on standard error with each answer, more than any pipe holds.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
import honest
import sys


def reply(texts, tensors):
    sys.stderr.write('tile by tile\n' * 160_000)
    return honest.answer(texts, tensors)


honest.serve(reply)
