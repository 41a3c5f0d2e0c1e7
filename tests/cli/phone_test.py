#!/usr/bin/env python3
"""Photos of phones that hide their depth behind the picture: what a user sees of it."""
import struct
import unittest

from support import CommandCase, jpeg_bytes, png_size, write_png

WIDTH, HEIGHT = 48, 32
DYNAMIC = "http://ns.google.com/photos/dd/1.0/"


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def with_xmp(jpeg, description):
    packet = ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
              f"{description}</rdf:RDF></x:xmpmeta>")
    return jpeg[:2] + segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet.encode()) + jpeg[2:]


def apple_jpeg(accuracy):
    """A portrait whose disparity map, 51 of 255 from 0.5 to 2.5, follows a gain map."""
    def auxiliary(kind, more=""):
        return with_xmp(jpeg_bytes(16, 16, 51),
                        '<rdf:Description rdf:about="" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" '
                        'xmlns:depthData="http://ns.apple.com/depthData/1.0/">'
                        f"<apdi:AuxiliaryImageType>{kind}</apdi:AuxiliaryImageType>{more}</rdf:Description>")
    return (jpeg_bytes(WIDTH, HEIGHT, 99) + auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap") +
            auxiliary("disparity", "<apdi:FloatMinValue>0.5</apdi:FloatMinValue><apdi:FloatMaxValue>2.5</apdi:FloatMaxValue>"
                      f"<depthData:Accuracy>{accuracy}</depthData:Accuracy>"))


def dynamic_jpeg():
    depth = jpeg_bytes(16, 16, 51)
    spaces = " ".join(f'xmlns:{name}="{DYNAMIC}{name.lower()}/"' for name in
                      ("Device", "Container", "Item", "Camera", "DepthMap"))
    items = "".join(f'<rdf:li><Container:Item Item:Mime="image/jpeg" Item:Length="{length}" Item:DataURI="{uri}"/></rdf:li>'
                    for length, uri in ((0, "primary_image"), (len(depth), "android/depthmap")))
    return with_xmp(jpeg_bytes(WIDTH, HEIGHT, 99),
                    f'<rdf:Description rdf:about="" {spaces}><Device:Container><Container:Directory><rdf:Seq>{items}'
                    "</rdf:Seq></Container:Directory></Device:Container><Device:Cameras><rdf:Seq><rdf:li><Device:Camera>"
                    '<Camera:DepthMap DepthMap:Format="RangeInverse" DepthMap:Near="0.5" DepthMap:Far="4" '
                    'DepthMap:Units="Meters" DepthMap:DepthURI="android/depthmap"/></Device:Camera></rdf:li></rdf:Seq>'
                    "</Device:Cameras></rdf:Description>") + depth


class Phone(CommandCase):
    def test_an_apple_portrait(self):
        (self.folder / "photo.jpg").write_bytes(apple_jpeg("relative"))
        done = self.succeed("dof", "photo.jpg", "-o", "out.png")
        self.assertIn("the depth map inside the photo (Apple, 8-bit JPEG) read as disparity from 0.5 to 2.5 of no unit (its "
                      "accuracy is relative)", done.stderr)
        self.assertEqual(png_size(self.folder / "out.png"), (WIDTH, HEIGHT))
        (self.folder / "photo.jpg").write_bytes(apple_jpeg("absolute"))
        self.assertIn("from 0.5 to 2.5 1/m", self.succeed("depth", "photo.jpg", "-o", "map.pfm").stderr)
        self.assertIn("1.111 m", self.succeed("depth", "photo.jpg").stderr)

    def test_dynamic_depth(self):
        (self.folder / "photo.jpg").write_bytes(dynamic_jpeg())
        done = self.succeed("dof", "photo.jpg", "-o", "out.jpg")
        self.assertIn("(Dynamic Depth, 8-bit JPEG) read as RangeInverse from 0.5 to 4 m", done.stderr)
        self.assertIn("its XMP describes its depth map and is not kept", done.stderr)
        self.assertNotIn(b"DepthURI", (self.folder / "out.jpg").read_bytes())
        (self.folder / "photo.jpg").write_bytes(dynamic_jpeg()[:-100])
        self.refuse("dof", "photo.jpg", "-o", "out2.jpg", says=("photo.jpg", "Dynamic Depth", "copy the original"))
        write_png(self.folder / "photo_depth.png", WIDTH, HEIGHT, 1, 8, [5 * x for _ in range(HEIGHT) for x in range(WIDTH)])
        done = self.succeed("dof", "photo.jpg", "-o", "out2.jpg")
        self.assertIn("copy the original", done.stderr)
        self.assertIn("its depth map is photo_depth.png", done.stderr)

    def test_a_form_that_is_not_read(self):
        directory = b"SEFH" + struct.pack("<IIHHII", 107, 1, 0, 0x0AB1, 0, 0)
        (self.folder / "photo.jpg").write_bytes(jpeg_bytes(WIDTH, HEIGHT, 99) + directory +
                                                struct.pack("<I", len(directory)) + b"SEFT")
        self.refuse("dof", "photo.jpg", "-o", "out.jpg", code=2,
                    says=("carries its depth map as Samsung's Live Focus", "which is not read"))


if __name__ == "__main__":
    unittest.main()
