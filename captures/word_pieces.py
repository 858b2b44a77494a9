# SPDX-License-Identifier: Apache-2.0
"""BERT's uncased tokeniser: words and punctuation, then the longest known pieces of each word."""
import re
import unicodedata


def words(text):
    """Lower case, accents stripped; each punctuation mark is a word of its own."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return re.findall(r"\w+|[^\w\s]", plain)


def pieces(word, vocabulary):
    """The longest known beginning, then the longest known continuation ("##..."), and so on."""
    found, begin = [], 0
    while begin < len(word):
        prefix = "##" if begin else ""
        ends = (end for end in range(len(word), begin, -1) if prefix + word[begin:end] in vocabulary)
        end = next(ends, None)
        if end is None:
            return ["[UNK]"]
        found.append(prefix + word[begin:end])
        begin = end
    return found


def token_ids(text, vocabulary):
    """The ids of [CLS], every piece of the text, [SEP]; vocabulary maps a piece to its id."""
    inner = [piece for word in words(text) for piece in pieces(word, vocabulary)]
    return [vocabulary[piece] for piece in ["[CLS]", *inner, "[SEP]"]]
