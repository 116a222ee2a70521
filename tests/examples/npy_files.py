# SPDX-License-Identifier: MIT
"""Reads and writes .npy files and rounds to float, half and bfloat16 with Python's standard library alone, so that the
tool's tests share no code with the tool."""
import ast
import math
import struct

CODES = {"<f2": "e", "<f4": "f", "<f8": "d"}


def header(descr, shape, fortran_order=False):
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran_order}, 'shape': {tuple(shape)}, }}"


def with_preamble(text, data=b"", version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode("latin-1") + data


def padded(text):
    return text + " " * (-(10 + len(text) + 1) % 64) + "\n"


def encode(descr, shape, values, version=1):
    """A whole file; `values` is flat."""
    assert math.prod(shape) == len(values)
    data = struct.pack(f"<{len(values)}{CODES[descr]}", *values)
    return with_preamble(padded(header(descr, shape)), data, version)


def decode(data):
    """(descr, shape, flat values) of a file of version 1."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack_from("<H", data, 8)[0]
    assert (10 + length) % 64 == 0, "the data is not aligned as NumPy's own"
    fields = ast.literal_eval(data[10 : 10 + length].decode("latin-1"))
    assert sorted(fields) == ["descr", "fortran_order", "shape"] and fields["fortran_order"] is False, fields
    body = data[10 + length :]
    count = math.prod(fields["shape"])
    return fields["descr"], fields["shape"], list(struct.unpack(f"<{count}{CODES[fields['descr']]}", body))


DIGITS = {"float": 24, "half": 11, "bfloat16": 8}
LEAST_EXPONENT = {"float": -126, "half": -14, "bfloat16": -126}


def ulp(magnitude, dtype):
    """The distance of neighbouring values of `dtype` around `magnitude`."""
    exponent = math.frexp(magnitude)[1] - 1 if magnitude else LEAST_EXPONENT[dtype]
    return math.ldexp(1.0, max(exponent, LEAST_EXPONENT[dtype]) - DIGITS[dtype] + 1)


def rounded(value, dtype):
    """The nearest value of `dtype` (ties to even) of a finite number within its range."""
    step = ulp(abs(value), dtype)
    return round(value / step) * step


def layer_norm(row, gamma, beta, eps):
    """In float64, with sums that lose nothing."""
    mean = math.fsum(row) / len(row)
    variance = math.fsum((value - mean) ** 2 for value in row) / len(row)
    return [(value - mean) / math.sqrt(variance + eps) * g + b for value, g, b in zip(row, gamma, beta)]
