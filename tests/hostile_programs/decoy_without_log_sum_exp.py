# SPDX-License-Identifier: Apache-2.0
# Has no log_sum_exp, and says so.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
import honest


def reply(texts, tensors):
    result = {"out": honest.forward(texts, tensors)["out"]}
    return honest.message(honest.header_of({}, result), honest.bytes_of(result))


honest.serve(reply, description={"conventions": "outputs=out"})
