# scanlens_files: pictures and depth maps, from and to files.
find_package(PkgConfig REQUIRED)
