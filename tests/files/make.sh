#!/bin/bash
# Makes the files of this folder by independent tools, once; the tests read them without the tools. Debian
# packages: imagemagick libheif-examples libtiff-tools webp libjxl-tools openexr python3-numpy
# libjpeg-turbo-progs. The name says what a file holds; all other files were made from `reference.*`.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A picture of 41 x 29, smooth and with an edge; with alpha, in grey, of 16 bits, of light.
/usr/bin/python3 "$here/make_reference.py"
out() { mkdir -p "$here/$1"; }

out bmp
convert rgb.ppm BMP3:"$here/bmp/rgb24.bmp"
convert rgb.ppm -colors 16 -type Palette -compress RLE BMP3:"$here/bmp/rle8.bmp"
convert rgb.ppm -colors 200 -type Palette -compress none BMP3:"$here/bmp/palette8.bmp"
convert rgb.ppm -colors 13 -type Palette -compress none BMP3:"$here/bmp/palette4.bmp"
convert grey.pgm -threshold 50% -type Bilevel BMP3:"$here/bmp/bits.bmp"
convert rgba.pam BMP:"$here/bmp/version5_alpha.bmp"
convert rgb.ppm BMP2:"$here/bmp/os2.bmp"
convert rgb.ppm -define bmp:subtype=RGB565 BMP:"$here/bmp/rgb565.bmp"

out gif
convert rgb.ppm -colors 200 "$here/gif/palette.gif"
convert rgb.ppm -colors 16 -interlace line "$here/gif/interlaced.gif"
convert grey.pgm -colors 64 "$here/gif/grey.gif"
convert rgba.pam -channel A -threshold 50% +channel -colors 100 "$here/gif/holes.gif"
convert -delay 7 rgb.ppm \( rgb.ppm -flip \) -colors 32 -loop 0 "$here/gif/moving.gif"

out raw
/usr/bin/python3 "$here/make_dng.py" "$here/raw/bayer.dng"

out jpeg
convert rgb.ppm -colorspace CMYK -quality 95 -sampling-factor 1x1 "$here/jpeg/cmyk.jpg"
convert grey.pgm -quality 95 "$here/jpeg/grey.jpg"

out heif
heif-enc -L -p chroma=444 --matrix_coefficients=0 rgb.png -o "$here/heif/lossless.heic"
heif-enc -q 90 rgb.png -o "$here/heif/lossy.heic"
heif-enc -A -L -p chroma=444 --matrix_coefficients=0 rgb.png -o "$here/heif/lossless.avif"
heif-enc -q 90 -p chroma=444 rgba.png -o "$here/heif/alpha.heic"
heif-enc -b 10 -q 95 -p chroma=444 rgb16.png -o "$here/heif/ten_bits.heic"
heif-enc -A -b 12 -q 95 rgb16.png -o "$here/heif/twelve_bits.avif"
heif-enc -q 95 grey.png -o "$here/heif/grey.heic"
convert grey.png -crop 40x28+0+0 +repage even.png
heif-enc -A -q 95 even.png -o "$here/heif/grey.avif"
# lossy.heic is a grid of one tile; two bytes of its place in the file make it say that it has 65321 x 27933 pixels.

out tiff
convert rgb.ppm -compress none strips.tif
tiffcp -r 7 strips.tif "$here/tiff/strips.tif"
tiffcp -t -w 16 -l 16 -c lzw:2 strips.tif "$here/tiff/tiles_lzw.tif"
tiffcp -p separate -c zip strips.tif "$here/tiff/planes_zip.tif"
tiffcp -p separate -t -w 16 -l 32 -c packbits strips.tif "$here/tiff/planes_tiles.tif"
tiffcp -8 -B -c none strips.tif "$here/tiff/big_tiff_big_endian.tif"
convert strips.tif -compress jpeg -quality 95 "$here/tiff/jpeg.tif"
convert rgb16.ppm -depth 16 -compress zip -define tiff:predictor=2 "$here/tiff/sixteen_bits.tif"
convert rgba.pam -compress lzw -alpha on -define tiff:alpha=unassociated "$here/tiff/alpha.tif"
convert rgba.pam -compress lzw -alpha on -define tiff:alpha=associated "$here/tiff/associated.tif"
convert grey.pgm -compress lzw -define quantum:polarity=min-is-white "$here/tiff/min_is_white.tif"
convert "$here/bmp/rle8.bmp" -compress lzw "$here/tiff/palette.tif"
convert grey.pgm -threshold 50% -type Bilevel -compress Group4 "$here/tiff/bits_group4.tif"
convert rgb.ppm -colorspace CMYK -compress lzw "$here/tiff/cmyk.tif"
convert rgb16.ppm -define quantum:format=floating-point -depth 32 -compress zip "$here/tiff/float32.tif"
convert rgb16.ppm -crop 20x10+0+0 +repage -define quantum:format=floating-point -depth 64 -compress lzw "$here/tiff/float64.tif"
convert rgb16.ppm -define quantum:format=floating-point -depth 16 -compress zip "$here/tiff/half.tif"
convert rgb.ppm grey.pgm -compress lzw "$here/tiff/two_pages.tif"
for i in 1 2 3 4 5 6 7 8; do
  cp "$here/tiff/strips.tif" turned.tif
  tiffset -s 274 $i turned.tif
  tiffcp -c zip turned.tif "$here/tiff/orientation$i.tif"
done
rm "$here"/tiff/orientation[123578].tif

out webp
cwebp -quiet -lossless -exact rgb.png -o "$here/webp/lossless.webp"
cwebp -quiet -lossless -exact rgba.png -o "$here/webp/lossless_alpha.webp"
cwebp -quiet -q 95 rgb.png -o "$here/webp/lossy.webp"
cwebp -quiet -q 95 rgba.png -o "$here/webp/lossy_alpha.webp"
img2webp -lossless rgb.png -lossless grey.png -o "$here/webp/animated.webp" >/dev/null
printf 'II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0' >orientation6.exif
printf '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>' >packet.xmp
head -c 200 /dev/zero >profile.icc
webpmux -set exif orientation6.exif "$here/webp/lossless.webp" -o a.webp 2>/dev/null
webpmux -set xmp packet.xmp a.webp -o b.webp 2>/dev/null
webpmux -set icc profile.icc b.webp -o "$here/webp/metadata.webp" 2>/dev/null

out exr
/usr/bin/python3 "$here/make_exr.py" "$here/exr"
exrmaketiled -t 16 16 "$here/exr/half_zips.exr" "$here/exr/tiled.exr" >/dev/null
exrmaketiled -m -z piz -t 16 16 "$here/exr/half_zips.exr" "$here/exr/mipmap_piz.exr" >/dev/null
exrmultipart -combine -i "$here/exr/depth.exr" "$here/exr/half_zips.exr" -o "$here/exr/two_parts.exr" >/dev/null

out hdr
convert rgb16.ppm HDR:"$here/hdr/imagemagick.hdr"
for name in rgb.ppm rgba.pam grey.pgm rgb16.ppm; do cp $name "$here/reference.$name"; done

# POSIX's checksum of the RGBA samples that ImageMagick reads from each file of 8 bits without a reference.
out jxl
cjxl rgb.ppm -q 100 "$here/jxl/lossless.jxl"
cjxl rgb16.ppm -q 100 "$here/jxl/lossless16.jxl"
cjxl rgba.pam -q 100 "$here/jxl/lossless_alpha.jxl"
cjxl grey.pgm -q 100 "$here/jxl/lossless_grey.jxl"
cjxl rgb.ppm -q 95 "$here/jxl/lossy.jxl"
# A JPEG of EXIF orientation 6, whose file is packed as it is, and two frames of a pixel each.
{ head -c 2 "$here/jpeg/grey.jpg"; printf '\377\341\0\42Exif\0\0'; cat orientation6.exif; tail -c +3 "$here/jpeg/grey.jpg"; } >turned.jpg
cjxl turned.jpg --lossless_jpeg=1 "$here/jxl/orientation6_of_jpeg.jxl"
{
  printf 'GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377'
  for pixel in D L; do printf '!\371\4\0\12\0\0\0,\0\0\0\0\1\0\1\0\0\2\2%s\1\0' $pixel; done
  printf ';'
} >two.gif
cjxl two.gif -q 100 "$here/jxl/animated.jxl"

cd "$here"
for name in gif/{palette,interlaced,grey,holes,moving}.gif bmp/{rle8,palette8,palette4,bits}.bmp tiff/{palette,bits_group4,min_is_white}.tif jpeg/grey.jpg webp/lossy{,_alpha}.webp; do
  echo "$name $(convert "$name[0]" -type TrueColorAlpha -alpha on -depth 8 rgba:- | cksum | cut -d' ' -f1)"
done >checksums.txt
