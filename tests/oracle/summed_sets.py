# SPDX-License-Identifier: Apache-2.0
"""What NaN and infinities may become in every element of the gradients: sums over rows of the sets that each of them sends."""
import numpy as np

import attention
import kinds
from special_gradients import Row
from vanishing import MARGIN, SCORE_LIMIT, out_overflows, sizes, upstream_overflows

GRADIENTS = ("dquery", "dkey", "dvalue", "dbias", "dsink")


def of_gradients(answers):
    """(sure, possible): for each gradient that is claimed, the sets of its elements. Marks in the heads which numbers count."""
    shapes = {name: claim.value.shape for name, claim in answers.case.claims.items() if name in GRADIENTS}
    tables = tuple({name: np.full(shape, kinds.ZERO, dtype=np.uint8) for name, shape in shapes.items()} for _ in range(2))
    if not shapes:
        return tables
    for (b, h), head in answers.heads.items():
        out = None
        for i in np.flatnonzero(_asks(head)):
            out = out or attention.out(answers.weights(b, h))
            for latitude, table in enumerate(tables):
                sent = Row(head, i, out[i], bool(latitude)).sent()
                _add(answers, table, b, h, i, sent)
            head.numbers[i], head.sink_numbers[i] = sent.numbers | ~head.visible[i], sent.sink_number
    return tables


def _asks(head):
    """[queries] of booleans: the rows that hold something else than numbers, or whose numbers may overflow."""
    sink = np.isnan(head.sink_value) or head.sink_value == np.inf
    asks = ~np.isfinite(head.query).all(axis=1) | ~np.isfinite(head.dout).all(axis=1) | sink
    asks |= (head.visible & ~(np.isfinite(head.key).all(axis=1) & np.isfinite(head.value).all(axis=1))).any(axis=1)
    if head.added is not None:
        asks |= (head.visible & ~np.isfinite(head.added)).any(axis=1)
    asks |= (head.visible & upstream_overflows(head)).any(axis=1) | (sizes(head) >= SCORE_LIMIT * MARGIN)
    asks |= out_overflows(head)
    return asks & (np.arange(len(asks)) < head.problem.query_lengths[head.b]) if head.problem.ragged else asks


def _add(answers, table, b, h, i, sent):
    """Adds what row i of a head sends."""
    group = answers.problem.kv_head(h)
    if "dquery" in table:
        table["dquery"][b, h, i] = sent.dquery
    for name in {"dkey", "dvalue"} & table.keys():
        table[name][b, group] = kinds.add(table[name][b, group], getattr(sent, name))
    if "dsink" in table:
        table["dsink"][0, h, 0, 0] = kinds.add(table["dsink"][0, h, 0, 0], sent.dsink)
    if "dbias" in table:
        for j, bits in enumerate(sent.dbias):
            place = answers.sources("dbias", b, h, i, j)
            table["dbias"][place] = kinds.add(table["dbias"][place], bits)
