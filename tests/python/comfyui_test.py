#!/usr/bin/env python3
"""The node of ComfyUI, called as ComfyUI calls nodes, with arrays of NumPy and of torch where that is installed."""
import importlib.util
import sys
import unittest
from pathlib import Path

import support
import numpy as np
import scanlens

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app/hosts/comfyui"))
from scanlens_dof import NODE_CLASS_MAPPINGS, NODE_DISPLAY_NAME_MAPPINGS  # noqa: E402

HEIGHT, WIDTH = 48, 64
ARRAYS = {"numpy": np.asarray}
if importlib.util.find_spec("torch"):
    import torch
    ARRAYS["torch"] = torch.from_numpy


class Node(unittest.TestCase):
    def setUp(self):
        (self.name, kind), = NODE_CLASS_MAPPINGS.items()
        self.inputs = kind.INPUT_TYPES()["required"]
        self.node = kind()
        self.call = getattr(self.node, kind.FUNCTION)
        rng = support.generator(self.id())
        self.codes = rng.integers(0, 256, (2, HEIGHT, WIDTH, 3)).astype(np.uint8)
        self.images = self.codes.astype(np.float32) / 255
        steps = (np.arange(WIDTH) // 16 % 2 + np.arange(HEIGHT)[:, None] // 16 % 2) / 2
        self.depth = steps.astype(np.float32)[None]
        # The defaults, as ComfyUI gives them.
        self.look = {name: facts[1]["default"] for name, facts in self.inputs.items() if name not in ("image", "depth")}

    def test_it_is_a_node_with_the_declared_parameters(self):
        self.assertEqual(list(NODE_DISPLAY_NAME_MAPPINGS), [self.name])
        self.assertEqual(list(self.look), [one["name"] for one in scanlens._core.dof_declarations() if not one["metric"]])
        for name in self.look:
            kind, facts = self.inputs[name]
            if isinstance(kind, list):
                self.assertIn(facts["default"], kind)
            else:
                self.assertTrue(kind in ("INT", "FLOAT") and facts["min"] <= facts["default"] <= facts["max"], name)

    def test_its_images_are_those_of_the_library(self):
        for library, make in ARRAYS.items():
            with self.subTest(library=library):
                before = self.images.copy()
                (found,) = self.call(make(self.images), make(self.depth), **{**self.look, "focus": 1.0, "blur": 6.0, "quality": "best"})
                self.assertIs(type(found), type(make(self.images)))
                self.assertTrue(np.array_equal(self.images, before), "inputs stay")
                for codes, result in zip(self.codes, np.asarray(found)):
                    expected = scanlens.depth_of_field(codes, disparity=self.depth[0], focus=1.0, blur="6%", quality="best")
                    self.assertGreater(np.abs(expected.astype(int) - codes).max(), 30)
                    self.assertLess(np.abs(result * 255 - expected).max(), 1.01)
                    self.assertLess(np.abs(result * 255 - codes)[self.depth[0] == 1].max(), 0.01, "what is in focus stays")

    def test_masks_batches_and_alpha(self):
        look = {**self.look, "focus": 0.0, "blur": 5.0}
        both = np.concatenate([self.depth, 1 - self.depth])
        (each,) = self.call(self.images, both, **look)
        for index in range(2):
            (one,) = self.call(self.images[index: index + 1], np.repeat(both[index: index + 1, ..., None], 3, axis=3), **look)
            self.assertTrue(np.array_equal(each[index], one[0]))
        alpha = np.full((2, HEIGHT, WIDTH, 1), 0.25, np.float32)
        (kept,) = self.call(np.concatenate([self.images, alpha], axis=3), both, **look)
        self.assertTrue(np.array_equal(kept[..., 3:], alpha) and np.array_equal(kept[..., :3], each))

    def test_wrong_inputs_are_named(self):
        for depth, words in ((self.depth[:, ::2], "depth: 64 x 24 pixels, and the image has 64 x 48; scale the depth by Upscale Image"),
                             (np.repeat(self.depth, 3, axis=0), "depth: 3 maps for 2 images; give one, or one for each image")):
            with self.assertRaises(ValueError) as caught:
                self.call(self.images, depth, **self.look)
            self.assertEqual(str(caught.exception), words)


if __name__ == "__main__":
    unittest.main()
