"""ONNX models, written as bytes without the onnx package, and the ONNX Runtime that tests run them with."""
import functools
import os
import struct
import subprocess
import sys
from pathlib import Path

FLOAT, BYTE, INT64, FLOAT16 = 1, 2, 7, 10


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def whole(number, value):
    return varint(number << 3) + varint(value)


def part(number, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(name, values, shape, kind=FLOAT, external=None):
    """A TensorProto; its values may lie in another file."""
    out = b"".join(whole(1, side) for side in shape) + whole(2, kind) + part(8, name)
    if external is not None:
        return out + part(13, part(1, "location") + part(2, external)) + whole(14, 1)
    letter = {FLOAT: "f", INT64: "q", FLOAT16: "e"}[kind]
    return out + part(9, struct.pack(f"<{len(values)}{letter}", *values))


def attribute(name, value):
    if isinstance(value, int):
        return part(1, name) + whole(3, value) + whole(20, 2)
    if isinstance(value, list):
        return part(1, name) + b"".join(whole(8, v) for v in value) + whole(20, 7)
    return part(1, name) + part(5, value) + whole(20, 4)  # a tensor


def node(operator, inputs, outputs, **attributes):
    return (b"".join(part(1, name) for name in inputs) + b"".join(part(2, name) for name in outputs) + part(4, operator) +
            b"".join(part(5, attribute(name, value)) for name, value in attributes.items()))


def port(name, shape, kind=FLOAT):
    """A ValueInfoProto; sides that are words are open."""
    sides = b"".join(part(1, part(2, side) if isinstance(side, str) else whole(1, side)) for side in shape)
    return part(1, name) + part(2, part(1, whole(1, kind) + part(2, sides)))


def model(nodes, inputs, outputs, initializers=(), metadata=(), opset=13):
    graph = (b"".join(part(1, each) for each in nodes) + part(2, "net") + b"".join(part(5, each) for each in initializers) +
             b"".join(part(11, each) for each in inputs) + b"".join(part(12, each) for each in outputs))
    return (whole(1, 8) + part(2, "tests") + part(7, graph) + part(8, part(1, "") + whole(2, opset)) +
            b"".join(part(14, part(1, key) + part(2, value)) for key, value in dict(metadata).items()))


def grey_network(height, width, image="image", depth="depth", kind=FLOAT, takes=None, extra=(), extra_inputs=(), extra_outputs=(), weights=None,
                 first=(), metadata=(), initializers=()):
    """Depth is the mean of the colours that the network gets: `first` are nodes from the image to `seen`. `takes` is the image's port."""
    seen = "seen" if first else image
    channels = tensor("weights", [1 / 3] * 3, [1, 3, 1, 1], kind) if weights is None else weights
    nodes = [*first, node("Conv", [seen, "weights"], [depth], kernel_shape=[1, 1]), *extra]
    return model(nodes, [takes or port(image, [1, 3, height, width], kind), *extra_inputs],
                 [port(depth, [1, 1, height, width], kind), *extra_outputs], [channels, *initializers], metadata)


@functools.cache
def runtime():
    """The library to run models with, for SCANLENS_ONNXRUNTIME; or why there is none."""
    if named := os.environ.get("SCANLENS_ONNXRUNTIME"):
        return named, ""
    found = subprocess.run([sys.executable, "-c", "import importlib.util as u; s = u.find_spec('onnxruntime'); print(s.origin if s else '')"],
                           capture_output=True, text=True)
    if origin := found.stdout.strip():
        return str(Path(origin).parent), ""
    return "", "no ONNX Runtime: SCANLENS_ONNXRUNTIME names none, and Python has no package onnxruntime"
