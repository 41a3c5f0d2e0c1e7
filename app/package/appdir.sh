#!/usr/bin/env bash
# Makes a folder that runs the program on any system whose glibc is as new as this machine's, as AppImages have it, and packs it.
#   app/package/appdir.sh BUILD     needs patchelf; BUILD/appdir/scanlens-x86_64.tar.xz, and an AppImage where appimagetool is
set -euo pipefail

build=$(readlink -f "$1")
folder=$build/appdir
app=$folder/scanlens.AppDir
rm -rf "$folder"
cmake --install "$build" --component program --prefix "$app/usr" >/dev/null
strip "$app/usr/bin/scanlens"

# The system's own: glibc, and what its drivers of OpenGL bring in a version of theirs.
own='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|GL|EGL|GLX|GLdispatch|OpenGL|X11.*|xcb.*|drm|wayland.*))\.so'
mkdir -p "$app/usr/lib"
ldd "$app/usr/bin/scanlens" | awk '/=> \//{print $3}' | while read -r library; do
  [[ ${library##*/} =~ $own ]] || cp -L "$library" "$app/usr/lib/"
done
# Unlike a path in the environment this one does not reach ffmpeg. The old kind of it serves libraries of libraries, too.
for file in "$app"/usr/bin/scanlens "$app"/usr/lib/*.so*; do
  if [[ $file == */bin/* ]]; then path="\$ORIGIN/../lib"; else path="\$ORIGIN"; fi
  patchelf --force-rpath --set-rpath "$path" "$file"
done
# The licences of the libraries, as Debian has them.
mkdir -p "$app/usr/share/doc/libraries"
for library in "$app"/usr/lib/*.so*; do
  package=$(dpkg-query -S "*/${library##*/}" 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [[ -z $package ]] || cp -L "/usr/share/doc/$package/copyright" "$app/usr/share/doc/libraries/$package" 2>/dev/null || true
done

cat >"$app/AppRun" <<'RUN'
#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/usr/bin/scanlens" "$@"
RUN
chmod +x "$app/AppRun"
cp "$app/usr/share/applications/scanlens.desktop" "$app/usr/share/icons/hicolor/256x256/apps/scanlens.png" "$app/"

name=scanlens-$(uname -m)
tar -C "$folder" -cJf "$folder/$name.tar.xz" scanlens.AppDir
if command -v appimagetool >/dev/null; then
  appimagetool "$app" "$folder/$name.AppImage"
fi
du -sh "$app" "$folder"/scanlens-*
