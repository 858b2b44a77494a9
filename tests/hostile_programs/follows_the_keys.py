# SPDX-License-Identifier: Apache-2.0
# Declares that rows do not follow the keys behind the mask, and adds up otherwise from 7 keys on.
# expect: schedule --property=hidden_keys_invariant 'shape=1x1x5x5x4 mask=causal'
import honest


def reply(texts, tensors):
    result = honest.forward(texts, tensors)
    if tensors["key"][1][2] > 6:
        result["out"][0][0] *= 1 + 2.0**-23
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply, description={"numerics": "invariant=hidden_keys"})
