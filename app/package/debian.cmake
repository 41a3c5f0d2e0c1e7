# The target `package`: Debian packages of the program and of the library, and their debug symbols apart.
find_program(SCANLENS_SHLIBDEPS dpkg-shlibdeps)
find_program(SCANLENS_FILE file)
if(NOT SCANLENS_SHLIBDEPS OR NOT SCANLENS_FILE)
  message(STATUS "Debian packages: no (install dpkg-dev and file)")
  return()
endif()

# package_of(FILE VARIABLE): the Debian package that a file belongs to; none for a file of no package.
function(package_of file variable)
  execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE unknown)
  string(REGEX REPLACE "[:,].*" "" owner "${owner}")
  if(unknown)
    set(owner "")
  endif()
  set(${variable} ${owner} PARENT_SCOPE)
endfunction()

# CPack reserves the name `package` for a target that waits for all, tests too, where it was included.
function(configure_cpack)
  set(CPACK_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackConfig.cmake)
  set(CPACK_SOURCE_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackSourceConfig.cmake)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/tidy.cmake)
  set(CPACK_COMPONENTS_ALL program library)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the scanlens developers")
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME scanlens)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Blurs the background of photos and clips as a lens does. Click to focus, or paint what is near;\n"
    "works on folders, too.")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAM_DEBUGINFO_PACKAGE ON)
  # Opened at run time, so that no program names them.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libegl1, libgl1, libgl1-mesa-dri")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, gnuplot-nox, libscanlens-dev")

  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libscanlens-dev)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
  set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Scans, summed-area tables and filters: libraries and headers of scanlens")
  # A program that links the archives needs what the package's configuration finds.
  set(owners "")
  foreach(config ${TBB_CONFIG} ${HWY_CONFIG} ${fmt_CONFIG})
    package_of(${config} owner)
    list(APPEND owners ${owner})
  endforeach()
  list(JOIN owners ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS)

  if(TARGET scanlens_gegl)
    list(APPEND CPACK_COMPONENTS_ALL gegl)
    set(CPACK_DEBIAN_GEGL_PACKAGE_NAME gegl-scanlens)
    set(CPACK_DEBIAN_GEGL_PACKAGE_SECTION graphics)
    set(CPACK_COMPONENT_GEGL_DESCRIPTION "The operation scanlens:depth-of-field for GIMP and GEGL.")
    set(CPACK_DEBIAN_GEGL_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_GEGL_DEBUGINFO_PACKAGE ON)
  endif()
  include(CPack)
endfunction()
configure_cpack()

set(packed "")
if(TARGET scanlens_gegl)
  set(packed scanlens_gegl)
endif()
add_custom_target(package VERBATIM USES_TERMINAL
  COMMAND ${CMAKE_CPACK_COMMAND} --config ${CMAKE_CURRENT_BINARY_DIR}/CPackConfig.cmake
  DEPENDS scanlens scanlens_pages scanlens_core scanlens_primitives scanlens_filters scanlens_headers ${packed}
  COMMENT "Packing into ${CMAKE_BINARY_DIR}/package")
