# SPDX-License-Identifier: Apache-2.0
"""rxnfp's BERT, which reads a chemical reaction written as SMILES. bert.py computes it.

Two sets of weights share one architecture. FINGERPRINT turns a reaction into a vector; like reactions get like vectors.
CLASSIFIER tells to which of 50 classes a reaction belongs. The package numbers the classes and does not name them.
"""
import math
import re
from importlib.resources import files
from pathlib import Path

import numpy as np

import torch_weights
from bert import Bert, attention, softmax

PACKAGE = "rxnfp"
FINGERPRINT, CLASSIFIER = "bert_ft", "bert_ft_10k_25s"  # folders of the package
LAYERS, HEADS, DIM = 12, 4, 64
WIDTH = HEADS * DIM
SCALE = 1 / math.sqrt(DIM)  # what attention multiplies query times key with
CLASSES = 50
MOST_TOKENS = 512

# What SMILES is made of: an atom in brackets, another atom, an arrow, the number of a ring, a bond or another sign.
PIECE = re.compile(r"\[[^\]]+\]|Br|Cl|[BCNOSPFIbcnosp]|>>|%\([0-9]{3}\)|%[0-9]{2}|[0-9]|[-=#$:~/\\.()|+@?>*]")


def recorded_reactions():
    """Of every line of reactions.txt: the likeliest class, its probability in the original, a name, the reaction."""
    lines = Path(__file__).with_name("reactions.txt").read_text(encoding="utf-8").splitlines()
    for number, probability, name, reaction in (line.split("\t") for line in lines if not line.startswith("# ")):
        yield int(number), float(probability), name, reaction


def pieces(reaction):
    """The pieces of a reaction, in order."""
    found = PIECE.findall(reaction)
    if "".join(found) != reaction:
        raise ValueError(f"not SMILES: {reaction}")
    return found


class ReactionBert(Bert):
    """The model as its package ships it; folder is FINGERPRINT or CLASSIFIER."""

    def __init__(self, folder=CLASSIFIER):
        path = files(PACKAGE) / "models" / "transformers" / folder
        weights = torch_weights.load(path / "pytorch_model.bin")
        super().__init__({name.removeprefix("bert."): array for name, array in weights.items()}, LAYERS, HEADS)
        lines = (path / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.vocabulary = {piece: number for number, piece in enumerate(lines)}

    def token_ids(self, reaction):
        """The ids of [CLS], every piece of the reaction, [SEP]."""
        unknown = self.vocabulary["[UNK]"]
        ids = [self.vocabulary.get(piece, unknown) for piece in ["[CLS]", *pieces(reaction), "[SEP]"]]
        if len(ids) > MOST_TOKENS:
            raise ValueError(f"{len(ids)} tokens; the model reads {MOST_TOKENS}")
        return ids

    def run(self, reaction, attend=attention):
        """(query, key, value) of every layer, each [HEADS, tokens, DIM], and the last hidden states [tokens, WIDTH].

        attend(query, key, value) stands in for softmax attention and returns [HEADS, tokens, DIM].
        """
        return self.encoded(self.token_ids(reaction), attend)

    def fingerprint(self, reaction, attend=attention):
        """The vector of a reaction: the last hidden state of its first token. The weights must be FINGERPRINT."""
        return self.run(reaction, attend)[1][0]

    def class_probabilities(self, reaction, attend=attention):
        """The probability of each of the CLASSES, in double. The weights must be CLASSIFIER."""
        return self.classified(self.run(reaction, attend)[1])

    def classified(self, hidden):
        """The class probabilities that follow from the last hidden states."""
        pooled = np.tanh(self.dense(hidden[:1], "pooler.dense").astype(np.float64)).astype(np.float32)
        return softmax(self.dense(pooled, "classifier").astype(np.float64))[0]
