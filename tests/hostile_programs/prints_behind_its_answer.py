# SPDX-License-Identifier: Apache-2.0
# Tells standard output that it is done.
# expect: wrong-protocol|printed --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    honest.write(honest.answer(texts, tensors))
    print('done', flush=True)


honest.serve(reply)
