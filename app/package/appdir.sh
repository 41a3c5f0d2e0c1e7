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

# The system's own are glibc, and what its drivers of OpenGL are made for. A system without a desktop lacks the latter.
own='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s))\.so'
desktop='^lib(GL|EGL|GLX|GLdispatch|OpenGL|X.*|xcb.*|bsd|md)\.so'
mkdir -p "$app/usr/lib/desktop"
ldd "$app/usr/bin/scanlens" | awk '/=> \//{print $3}' | while read -r library; do
  if [[ ${library##*/} =~ $own ]]; then continue; fi
  if [[ ${library##*/} =~ $desktop ]]; then cp -L "$library" "$app/usr/lib/desktop/"; else cp -L "$library" "$app/usr/lib/"; fi
done
# Unlike a path in the environment this one does not reach ffmpeg. The old kind of it serves libraries of libraries, too.
for file in "$app"/usr/bin/scanlens "$app"/usr/lib/*.so*; do
  if [[ $file == */bin/* ]]; then path="\$ORIGIN/../lib"; else path="\$ORIGIN"; fi
  patchelf --force-rpath --set-rpath "$path" "$file"
done
# The licences of the libraries, as Debian has them.
mkdir -p "$app/usr/share/doc/libraries"
for library in "$app"/usr/lib/{,desktop/}*.so*; do
  package=$(dpkg-query -S "*/${library##*/}" 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [[ -z $package ]] || cp -L "/usr/share/doc/$package/copyright" "$app/usr/share/doc/libraries/$package" 2>/dev/null || true
done

cat >"$app/AppRun" <<'RUN'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
if ! /sbin/ldconfig -p | grep -q libGLX.so.0; then
  export LD_LIBRARY_PATH="$here/usr/lib/desktop${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec "$here/usr/bin/scanlens" "$@"
RUN
chmod +x "$app/AppRun"
cp "$app/usr/share/applications/scanlens.desktop" "$app/usr/share/icons/hicolor/256x256/apps/scanlens.png" "$app/"

name=scanlens-$(uname -m)
tar -C "$folder" -cf - scanlens.AppDir | xz -6 -T0 >"$folder/$name.tar.xz"
if command -v appimagetool >/dev/null; then
  appimagetool "$app" "$folder/$name.AppImage"
fi
du -sh "$app" "$folder"/scanlens-*
