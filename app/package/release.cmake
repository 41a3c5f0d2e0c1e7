# The target `release`: what is given away with a version, in one folder, with checksums.
#   cmake -DROOT=... -DBUILD=... -DVERSION=... [-DADDRESS=...] -P release.cmake
# ADDRESS is where the folder will lie, for the recipes; packages of the folder BUILD/package are taken as they are there.
set(folder ${BUILD}/release-${VERSION})
if(NOT ADDRESS)
  set(ADDRESS https://example.org/scanlens)
endif()
file(READ ${ROOT}/CHANGELOG.md changes)
if(NOT changes MATCHES "\n## ${VERSION}")
  message(FATAL_ERROR "CHANGELOG.md: no section for ${VERSION}; rename the section Unreleased")
endif()
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})

# The sources as they are committed. They build without git.
set(sources ${folder}/scanlens-${VERSION}.tar.xz)
execute_process(COMMAND git -C ${ROOT} archive --prefix=scanlens-${VERSION}/ --output ${folder}/sources.tar HEAD
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND xz -6 -T0 ${folder}/sources.tar COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${folder}/sources.tar.xz ${sources})

# Blender installs its add-on from an archive.
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf ${folder}/scanlens-blender-${VERSION}.zip --format=zip
  __init__.py blender_manifest.toml camera.py
  WORKING_DIRECTORY ${ROOT}/app/hosts/blender/scanlens_dof COMMAND_ERROR_IS_FATAL ANY)
file(GLOB packages ${BUILD}/package/*${VERSION}*.*deb ${BUILD}/wheel/*.whl ${BUILD}/appdir/*.tar.xz)
if(packages)
  file(COPY ${packages} DESTINATION ${folder})
endif()

file(SHA256 ${sources} SHA256)
file(SHA512 ${sources} SHA512)
file(GLOB recipes ${CMAKE_CURRENT_LIST_DIR}/recipes/*.in)
foreach(recipe ${recipes})
  get_filename_component(name ${recipe} NAME_WLE)
  configure_file(${recipe} ${folder}/recipes/${name} @ONLY)
endforeach()

file(GLOB given RELATIVE ${folder} ${folder}/*.*)
set(sums "")
foreach(file ${given})
  file(SHA256 ${folder}/${file} sum)
  string(APPEND sums "${sum}  ${file}\n")
endforeach()
file(WRITE ${folder}/SHA256SUMS "${sums}")
message(STATUS "The release: ${folder}")
