# SPDX-License-Identifier: Apache-2.0
"""Compares reaction_bert.py with what rxnfp's authors publish and with what their program was seen to compute.

    python captures/check_reaction_bert.py
"""
import sys
from itertools import islice

import numpy as np

import reaction_bert
from reaction_bert import CLASSIFIER, FINGERPRINT, ReactionBert

# The README of rxnfp 0.1.0 prints the beginning of the fingerprint of its example, the first line of reactions.txt.
PUBLISHED = np.array([-2.0174953937530518, 1.7602033615112305, -1.3323537111282349, -1.1095019578933716, 1.2254549264907837])
PUBLISHED_DIGITS = 1e-5

# The similarities of the fingerprints of the first three lines of reactions.txt, two amide couplings and a Suzuki coupling:
# rxnfp 0.1.0, weights bert_ft, run by torch 1.13.1 and transformers 4.30.2 on a CPU.
SIMILARITIES = np.array([[1.0, 0.9724, 0.3133], [0.9724, 1.0, 0.2401], [0.3133, 0.2401, 1.0]])
RECORDED_DIGITS = 1e-4


def wrong_fingerprints():
    model = ReactionBert(FINGERPRINT)
    reactions = [reaction for *_, reaction in islice(reaction_bert.recorded_reactions(), len(SIMILARITIES))]
    fingerprints = np.stack([model.fingerprint(reaction) for reaction in reactions]).astype(np.float64)
    print("fingerprint of", reactions[0], fingerprints[0, : len(PUBLISHED)].round(5), sep="\n  ")
    units = fingerprints / np.linalg.norm(fingerprints, axis=-1, keepdims=True)
    similarities = units @ units.T
    print("similarities of", *reactions, sep="\n  ")
    print(similarities.round(4))
    differs = np.abs(fingerprints[0, : len(PUBLISHED)] - PUBLISHED).max() > PUBLISHED_DIGITS
    return bool(differs or np.abs(similarities - SIMILARITIES).max() > RECORDED_DIGITS)


def wrong_classes():
    model, wrong = ReactionBert(CLASSIFIER), 0
    print("likeliest class, its probability, the recorded ones")
    for number, probability, name, reaction in reaction_bert.recorded_reactions():
        probabilities = model.class_probabilities(reaction)
        likeliest = int(probabilities.argmax())
        print(f"  {likeliest:2} {probabilities[likeliest]:.4f}  {number:2} {probability:.4f}  {name}")
        wrong += likeliest != number or abs(probabilities[likeliest] - probability) > RECORDED_DIGITS
    return wrong


def main():
    if wrong_fingerprints():
        print("the model is wrong: its fingerprints are not the published and recorded ones", file=sys.stderr)
        return 1
    wrong = wrong_classes()
    if wrong:
        print(f"the model is wrong: {wrong} reactions have other class probabilities than the original", file=sys.stderr)
        return 1
    print("reaction_bert.py computes what the original computes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
