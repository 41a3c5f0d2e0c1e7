"""Depth of field for Blender: the Render Result's picture and depth, blurred as its camera would, become the image scanlens."""
import contextlib
import os
import tempfile
import warnings

import bpy
import numpy as np
import scanlens
from scanlens import io

from .camera import OF_CAMERA, lens_of

IMAGE = "scanlens"
_DECLARED = [one for one in scanlens._core.dof_declarations() if one["name"] not in OF_CAMERA]


def _property(one):
    """A declared parameter as a property of Blender."""
    words = {"name": one["name"].replace("_", " ").capitalize(), "description": one["help"], "default": one["default"]}
    if "choices" in one:
        return bpy.props.EnumProperty(items=[(name, name.capitalize(), "") for name in one["choices"]], **words)
    return bpy.props.FloatProperty(min=one["least"], max=one["most"], **words)


class Look(bpy.types.PropertyGroup):
    """The parameters that no camera has."""
    __annotations__ = {one["name"]: _property(one) for one in _DECLARED}


@contextlib.contextmanager
def _layers_of(settings):
    """Lets a picture be saved with all its passes, and restores what the user had chosen."""
    names = [name for name in ("media_type", "file_format", "color_mode", "color_depth", "exr_codec") if hasattr(settings, name)]
    before = {name: getattr(settings, name) for name in names}
    try:
        if "media_type" in before:
            settings.media_type = "MULTI_LAYER_IMAGE"
        settings.file_format, settings.color_depth, settings.exr_codec = "OPEN_EXR_MULTILAYER", "32", "NONE"
        yield
    finally:
        for name, value in before.items():
            with contextlib.suppress(TypeError):  # a depth that another format has
                setattr(settings, name, value)


def _read_render(scene):
    """The Render Result's picture, in linear light, and its depth in Blender's units as 1/distance."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", io.Remark)
        path = os.path.join(folder, "render.exr")
        try:
            with _layers_of(scene.render.image_settings):
                bpy.data.images["Render Result"].save_render(path, scene=scene)
            picture, _ = io.read_image(path)
        except (KeyError, RuntimeError, OSError) as error:
            raise ValueError("Render Result: no picture; render first (F12)") from error
        depth = io.read_depth(path, photo=picture)
    if not depth.metric:  # without the pass the colours are taken for a map
        raise ValueError("Render Result: no depth; turn on View Layer, Passes, Data, Z and render again")
    return picture, depth


def _show(picture):
    """The image of the result, made if it is missing."""
    height, width, channels = picture.shape
    pixels = np.ones((height, width, 4), np.float32)
    pixels[..., :channels] = picture if channels > 1 else picture[..., :1]
    pixels[..., :3] *= pixels[..., 3:]  # as Blender keeps floats
    image = bpy.data.images.get(IMAGE)
    if image is not None and tuple(image.size) != (width, height):
        bpy.data.images.remove(image)
        image = None
    if image is None:
        image = bpy.data.images.new(IMAGE, width, height, alpha=True, float_buffer=True)
    image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1]).ravel())
    image.update()
    return image


def blur_render(scene, **look):
    """The image of the Render Result, blurred as the scene's camera would. Parameters are those of scanlens.depth_of_field."""
    if scene.camera is None:
        raise ValueError("the scene has no camera; add one")
    picture, depth = _read_render(scene)
    height, width = picture.shape[:2]
    scale = scene.unit_settings.scale_length
    lens = lens_of(scene.camera.data, scene.camera.matrix_world, width, height, scale)
    # Lamps are what is brighter than nearly all of the picture; one broken sample must not darken the rest.
    white = max(float(np.percentile(picture, 99)), 1)
    most = min(max(float(picture.max()), 1), 4096 * white)
    blurred = scanlens.depth_of_field(picture, disparity=depth.disparity / np.float32(scale), most=most, white=white, **{**lens, **look})
    return _show(blurred)


class SCANLENS_OT_blur(bpy.types.Operator):
    """Blur the Render Result by its depth, as the camera would, into the image "scanlens" """
    bl_idname = "scanlens.blur_render"
    bl_label = "Blur by Depth"

    def execute(self, context):
        scene = context.scene
        if scene.camera and scene.camera.data.dof.use_dof:
            self.report({"WARNING"}, f"{scene.camera.name}: its Depth of Field is on, so that the render is blurred already")
        try:
            blur_render(scene, **{one["name"]: getattr(scene.scanlens, one["name"]) for one in _DECLARED})
        except (ValueError, TypeError, MemoryError, scanlens.DeviceError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class SCANLENS_PT_blur(bpy.types.Panel):
    """The button and its parameters, beside the picture."""
    bl_label = "Depth of Field"
    bl_space_type, bl_region_type, bl_category = "IMAGE_EDITOR", "UI", "scanlens"

    def draw(self, context):
        self.layout.operator(SCANLENS_OT_blur.bl_idname)
        for one in _DECLARED:
            self.layout.prop(context.scene.scanlens, one["name"])


_CLASSES = (Look, SCANLENS_OT_blur, SCANLENS_PT_blur)


def register():
    for one in _CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Scene.scanlens = bpy.props.PointerProperty(type=Look)


def unregister():
    del bpy.types.Scene.scanlens
    for one in reversed(_CLASSES):
        bpy.utils.unregister_class(one)
