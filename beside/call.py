# SPDX-License-Identifier: Apache-2.0
"""One request to a library's attention: its tensors by name, and what a library is told of the mask.

Shapes are those of the pipe (docs/plugins.md): query [batch, heads, queries, dim], key and value [batch, kv_heads, keys, ...].
"""
import numpy

from pipe import Refused


class Call:
    def __init__(self, texts, tensors):
        self.texts = texts
        self.query, self.key, self.value = (tensors[name] for name in ("query", "key", "value"))
        self.mask, self.bias, self.sink = (tensors.get(name) for name in ("mask", "bias", "sink"))
        self.out, self.log_sum_exp, self.dout = (tensors.get(name) for name in ("out", "log_sum_exp", "dout"))
        self.has_lengths = "key_lengths" in tensors or "query_lengths" in tensors
        self.scale, self.threads = float(texts["scale"]), int(texts["threads"])
        self.batch, self.heads, self.queries, self.dim = self.query.shape
        self.kv_heads, self.keys, self.value_dim = self.value.shape[1:]

    @property
    def group(self):
        """Query heads that share a kv head."""
        return self.heads // self.kv_heads

    @property
    def is_empty(self):
        return 0 in (*self.query.shape, *self.key.shape, *self.value.shape)

    @property
    def is_full(self):
        return self.mask is None

    @property
    def is_causal(self):
        """The mask is causal and nothing else; alignment is the caller's affair."""
        band = [self.texts[name] for name in ("mask_form", "causal", "window_left", "window_right")]
        return band[:3] == ["band", "1", "-1"] and band[3] in ("-1", "0") and not self.has_lengths

    @property
    def is_square_causal(self):
        """What every library's own flag means, however it is aligned."""
        return self.is_causal and self.queries == self.keys

    def added(self, hidden):
        """What is added to scores, in the format of the query; None for nothing. `hidden` stands where the mask hides.

        [batch or 1, heads or 1, queries or 1, keys or 1]
        """
        if self.bias is not None and self.bias.dtype != self.query.dtype:
            raise Refused("a bias is of the format of the query")
        if self.mask is None or self.is_square_causal:
            return self.bias
        zero = numpy.zeros((), self.query.dtype)
        return numpy.where(self.mask, zero if self.bias is None else self.bias, numpy.array(hidden, self.query.dtype))

    def sees(self):
        """Which pairs of query and key neither the mask nor a bias of -inf hides; with a bias."""
        reached = ~numpy.isneginf(self.bias.astype(numpy.float32))
        return reached if self.mask is None else self.mask & reached

    def refuse_rows_emptied_by_bias(self):
        """For libraries whose masks are large negative numbers: beside a bias of -inf hidden keys are the largest scores."""
        if self.bias is None or not self.bias.size:
            return
        if numpy.isneginf(self.bias.astype(numpy.float32)).any() and not self.sees().any(axis=-1).all():
            raise Refused("no row sees biases of -inf alone")

    def refuse_rows_without_keys_beside_bias(self):
        """For libraries that answer something else to a row without keys if -inf is added than if a mask hides."""
        if self.bias is not None and self.bias.size and not self.sees().any(axis=-1).all():
            raise Refused("with a bias every row sees a key")

    def refuse_masks_but_causal(self, aligned="square"):
        """For libraries that know no other mask; aligned: `square`, or `top_left` for the convention."""
        if not self.is_full and not (self.is_causal if aligned == "top_left" else self.is_square_causal):
            raise Refused("has no masks but full and causal")
