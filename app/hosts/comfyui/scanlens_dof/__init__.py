"""A node of ComfyUI: images and their depth in, depth of field out, where torch has them and on its stream."""
import scanlens

_DECLARED = [one for one in scanlens._core.dof_declarations() if not one["metric"]]
_OUR_BLUR = "blur"  # a number of percent here


def _widget(one):
    """A declared parameter as an input of a node."""
    if "choices" in one:
        return list(one["choices"]), {"default": one["default"], "tooltip": one["help"]}
    default, most = one["default"], one["most"]
    if one["name"] == _OUR_BLUR:
        default, most = float(default.rstrip("%")), 100.0
    if one["whole"]:
        return "INT", {"default": int(default), "min": int(one["least"]), "max": int(most), "tooltip": one["help"]}
    step = 0.01 if most <= 1 else 0.1
    return "FLOAT", {"default": float(default), "min": float(one["least"]), "max": float(most), "step": step, "tooltip": one["help"]}


def _linear(codes):
    """The light of sRGB's codes, for arrays of any library."""
    is_dark = codes <= 0.04045
    return is_dark * (codes / 12.92) + ~is_dark * ((codes.clip(0.04045, None) + 0.055) / 1.055) ** 2.4


def _codes(light):
    light = light.clip(0, None)
    is_dark = light <= 0.0031308
    return is_dark * (light * 12.92) + ~is_dark * (1.055 * light.clip(0.0031308, None) ** (1 / 2.4) - 0.055)


class ScanlensDepthOfField:
    """Blurs each image by its depth, as a lens does. White is near. One depth serves all images, or each has its own."""
    RETURN_TYPES = ("IMAGE",)
    FUNCTION = "blur"
    CATEGORY = "image/filters"
    DESCRIPTION = __doc__

    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"image": ("IMAGE",), "depth": ("IMAGE,MASK", {"tooltip": "white is near"}),
                             **{one["name"]: _widget(one) for one in _DECLARED}}}

    def blur(self, image, depth, **look):
        if len(depth.shape) == 4:
            depth = depth[..., 0]
        if depth.shape[1:] != image.shape[1:3]:
            sizes = [f"{shape[1]} x {shape[0]}" for shape in (depth.shape[1:], image.shape[1:3])]
            raise ValueError(f"depth: {sizes[0]} pixels, and the image has {sizes[1]}; scale the depth by Upscale Image")
        if len(depth) not in (1, len(image)):
            raise ValueError(f"depth: {len(depth)} maps for {len(image)} images; give one, or one for each image")
        look[_OUR_BLUR] = f"{look[_OUR_BLUR]}%"
        colours = _linear(image[..., :3])
        for index, colour in enumerate(colours):
            scanlens.depth_of_field(colour, disparity=depth[index % len(depth)].clip(0, 1), out=colour, **look)
        blurred = _codes(colours)
        if image.shape[3] == 3:
            return (blurred,)
        result = image * 1  # alpha stays
        result[..., :3] = blurred
        return (result,)


NODE_CLASS_MAPPINGS = {"ScanlensDepthOfField": ScanlensDepthOfField}
NODE_DISPLAY_NAME_MAPPINGS = {"ScanlensDepthOfField": "Depth of Field (scanlens)"}
