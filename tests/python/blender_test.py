#!/usr/bin/env python3
"""The add-on of Blender: its lens by a stub of a camera; a render in the module bpy where that is installed (pip install bpy)."""
import importlib.util
import math
import os
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import support  # noqa: F401, I001
import numpy as np
import scanlens

ADDON = Path(__file__).resolve().parents[2] / "app/hosts/blender/scanlens_dof"
HAS_BLENDER = importlib.util.find_spec("bpy") is not None
sys.path.insert(0, str(ADDON.parent if HAS_BLENDER else ADDON))
if HAS_BLENDER:
    import bpy
    import scanlens_dof
    from scanlens_dof import camera as lenses
else:
    import camera as lenses


class Place:
    """A stub of a matrix: it moves along z."""

    def __init__(self, z):
        self.translation = SimpleNamespace(z=z)

    def inverted(self):
        return Place(-self.translation.z)

    def __matmul__(self, point):
        return SimpleNamespace(z=self.translation.z + point.z)


def stub(**changes):
    dof = {"focus_object": None, "focus_distance": 3.0, "aperture_fstop": 1.4, "aperture_blades": 0, "aperture_rotation": 0.0, "aperture_ratio": 1.0}
    camera = {"name": "Camera", "type": "PERSP", "lens": 85.0, "sensor_fit": "AUTO", "sensor_width": 36.0, "sensor_height": 24.0}
    dof.update((name, value) for name, value in changes.items() if name in dof)
    camera.update((name, value) for name, value in changes.items() if name in camera)
    return SimpleNamespace(dof=SimpleNamespace(**dof), **camera)


class Manifest(unittest.TestCase):
    def test_its_version_is_the_library_s(self):
        self.assertIn(f'\nversion = "{scanlens.__version__}"\n', (ADDON / "blender_manifest.toml").read_text())


class Camera(unittest.TestCase):
    def lens(self, width=300, height=200, scale=1.0, **changes):
        return lenses.lens_of(stub(**changes), Place(10.0), width, height, scale)

    def test_its_values_are_those_of_the_lens(self):
        self.assertEqual(self.lens(), {"focus": 3.0, "focal_length": 85.0, "f_number": 1.4, "sensor_width": 36.0, "blades": 0, "rotation": 0.0,
                                       "anamorphic": 1.0})
        self.assertEqual(self.lens(aperture_blades=6, aperture_rotation=math.radians(30), aperture_ratio=2.0) | {"blades": 6, "anamorphic": 2.0},
                         self.lens(aperture_blades=6, aperture_rotation=math.radians(30), aperture_ratio=2.0))
        self.assertAlmostEqual(self.lens(aperture_rotation=math.radians(30))["rotation"], 330)

    def test_the_focus_is_a_distance_along_the_view_in_metres(self):
        self.assertAlmostEqual(self.lens(focus_object=SimpleNamespace(matrix_world=Place(6.0)), scale=0.01)["focus"], 0.04)
        with self.assertRaisesRegex(ValueError, "behind the camera"):
            self.lens(focus_object=SimpleNamespace(matrix_world=Place(11.0)))

    def test_the_sensor_is_what_the_width_covers(self):
        self.assertEqual(self.lens(200, 300)["sensor_width"], 24.0)
        self.assertEqual(self.lens(200, 300, sensor_fit="HORIZONTAL")["sensor_width"], 36.0)
        self.assertEqual(self.lens(300, 200, sensor_fit="VERTICAL")["sensor_width"], 36.0)

    def test_other_cameras_are_refused(self):
        with self.assertRaisesRegex(ValueError, "Camera: cameras of the type ORTHO have no lens; choose Perspective"):
            self.lens(type="ORTHO")


@unittest.skipUnless(HAS_BLENDER, "bpy is not installed; the stub of a camera alone was tested")
class Render(unittest.TestCase):
    """Two walls that face the camera, at 2 and 8 metres."""
    WIDTH, HEIGHT = 96, 64

    def setUp(self):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scanlens_dof.register()
        self.addCleanup(scanlens_dof.unregister)
        self.scene = scene = bpy.context.scene
        scene.render.engine = "CYCLES"
        scene.cycles.samples = 1
        scene.cycles.use_denoising = False
        scene.render.resolution_x, scene.render.resolution_y = self.WIDTH, self.HEIGHT
        scene.render.film_transparent = True
        scene.view_layers[0].use_pass_z = True
        self.camera = bpy.data.cameras.new("Camera")
        scene.camera = bpy.data.objects.new("Camera", self.camera)
        scene.collection.objects.link(scene.camera)
        for z, x, size, name in ((-2, -0.75, 1.5, "near"), (-8, 0, 20, "far")):
            bpy.ops.mesh.primitive_plane_add(size=size, location=(x, 0, z))
            bpy.context.object.name = name
            self.paint(bpy.context.object)
        self.camera.dof.focus_object = bpy.data.objects["near"]
        self.camera.dof.aperture_fstop = 0.5

    def paint(self, wall):
        material = bpy.data.materials.new(wall.name)
        material.use_nodes = True
        nodes = material.node_tree.nodes
        nodes.clear()
        checks, light, out = nodes.new("ShaderNodeTexChecker"), nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
        checks.inputs["Scale"].default_value = 101
        material.node_tree.links.new(checks.outputs["Color"], light.inputs["Color"])
        material.node_tree.links.new(light.outputs["Emission"], out.inputs["Surface"])
        wall.data.materials.append(material)

    def rendered(self):
        """The render's pixels by Blender's own reader, rows from the top."""
        path = os.path.join(bpy.app.tempdir, "plain.exr")
        settings = self.scene.render.image_settings
        settings.file_format, settings.color_depth, settings.color_mode, settings.exr_codec = "OPEN_EXR", "32", "RGBA", "NONE"
        bpy.data.images["Render Result"].save_render(path, scene=self.scene)
        return self.pixels(bpy.data.images.load(path))

    def pixels(self, image):
        return np.array(image.pixels, np.float32).reshape(self.HEIGHT, self.WIDTH, 4)[::-1]

    def test_the_result_is_that_of_the_lens_at_the_true_distances(self):
        bpy.ops.render.render()
        plain = self.rendered()
        self.scene.scanlens.quality = "best"
        chosen = self.scene.render.image_settings.file_format
        self.assertEqual(bpy.ops.scanlens.blur_render(), {"FINISHED"})
        self.assertEqual(self.scene.render.image_settings.file_format, chosen)
        # The near wall ends in the middle of the picture.
        depth = np.full((self.HEIGHT, self.WIDTH), 8, np.float32)
        depth[:, : self.WIDTH // 2] = 2
        expected = scanlens.depth_of_field(np.ascontiguousarray(plain), disparity=1 / depth, focus=2.0, focal_length=50, f_number=0.5,
                                           sensor_width=36, quality="best")
        found = self.pixels(bpy.data.images["scanlens"])
        self.assertLess(np.abs(found - expected).max(), 0.01)
        self.assertTrue(np.array_equal(found[:, :40], plain[:, :40]), "the near wall stays as it is")
        self.assertLess(found[20:40, 60:, 0].std(), 0.7 * plain[20:40, 60:, 0].std(), "the far wall is blurred")

    def test_what_is_missing_is_named(self):
        def error():
            with self.assertRaises(RuntimeError) as caught:
                bpy.ops.scanlens.blur_render()
            return str(caught.exception)

        self.assertIn("Render Result: no picture; render first (F12)", error())
        self.scene.view_layers[0].use_pass_z = False
        bpy.ops.render.render()
        self.assertIn("Render Result: no depth; turn on View Layer, Passes, Data, Z and render again", error())
        self.scene.camera = None
        self.assertIn("the scene has no camera; add one", error())


if __name__ == "__main__":
    unittest.main()
