"""A camera of Blender as the lens of scanlens.depth_of_field."""
import math

# Parameters of depth of field that the camera decides; its panel offers the others.
OF_CAMERA = {"focus", "focal_length", "f_number", "sensor_width", "blur", "blades", "rotation", "anamorphic"}


def sensor_width(camera, width, height):
    """The millimetres of the sensor that the picture's width covers, pixels being square."""
    if camera.sensor_fit == "VERTICAL":
        return camera.sensor_height * width / height
    if camera.sensor_fit == "AUTO" and height > width:
        return camera.sensor_width * width / height
    return camera.sensor_width


def focus_distance(camera, matrix_world):
    """The distance in focus along the view, in Blender's units."""
    target = camera.dof.focus_object
    if target is None:
        return camera.dof.focus_distance
    return -(matrix_world.inverted() @ target.matrix_world.translation).z


def lens_of(camera, matrix_world, width, height, metres_per_unit):
    """The parameters of depth_of_field that the camera decides."""
    if camera.type != "PERSP":
        raise ValueError(f"{camera.name}: cameras of the type {camera.type} have no lens; choose Perspective")
    focus = focus_distance(camera, matrix_world) * metres_per_unit
    if focus <= 0:
        raise ValueError(f"{camera.name}: the focus lies behind the camera; move the focus object or set a distance")
    dof = camera.dof
    return {"focus": focus, "focal_length": camera.lens, "f_number": dof.aperture_fstop,
            "sensor_width": sensor_width(camera, width, height), "blades": dof.aperture_blades if dof.aperture_blades >= 3 else 0,
            "rotation": -math.degrees(dof.aperture_rotation) % 360, "anamorphic": min(max(dof.aperture_ratio, 0.25), 4)}
