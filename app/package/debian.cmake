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

# debian_package(COMPONENT NAME SECTION DESCRIPTION TARGETS...): a component of the installation as a package.
macro(debian_package component name section description)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  if(NOT ${component} STREQUAL library)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${upper}_DEBUGINFO_PACKAGE ON)
  endif()
  list(APPEND packed ${ARGN})
endmacro()

# CPack reserves the name `package` for a target that waits for all, tests too, where it was included.
function(configure_cpack)
  set(CPACK_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackConfig.cmake)
  set(CPACK_SOURCE_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackSourceConfig.cmake)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/tidy.cmake)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the scanlens developers")
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

  set(CPACK_COMPONENTS_ALL "")
  set(packed scanlens_pages scanlens_headers)
  debian_package(program scanlens graphics
    "Blurs the background of photos and clips as a lens does. Click to focus, or paint what is near;\nworks on folders, too."
    scanlens)
  # Opened at run time, so that no program names them.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libegl1, libgl1, libgl1-mesa-dri")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, gnuplot-nox, libscanlens-dev, scanlens-bench")

  debian_package(library libscanlens-dev libdevel
    "Scans, summed-area tables and filters: libraries and headers of scanlens"
    scanlens_core scanlens_primitives scanlens_filters)
  # A program that links the archives needs what the package's configuration finds.
  set(owners "")
  foreach(config ${TBB_CONFIG} ${HWY_CONFIG} ${fmt_CONFIG})
    package_of(${config} owner)
    list(APPEND owners ${owner})
  endforeach()
  list(JOIN owners ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS)

  debian_package(bench scanlens-bench graphics "Measures scanlens against copies, libraries and rays: `scanlens bench`."
    scanlens-bench)
  set(CPACK_DEBIAN_BENCH_PACKAGE_DEPENDS scanlens)
  debian_package(ofx ofx-scanlens video "Depth of field for hosts of OpenFX: Natron, DaVinci Resolve, Nuke." scanlens_ofx)
  if(TARGET scanlens_gegl)
    debian_package(gegl gegl-scanlens graphics "The operation scanlens:depth-of-field for GIMP and GEGL." scanlens_gegl)
  endif()
  if(TARGET scanlens_frei0r)
    debian_package(frei0r frei0r-scanlens video "Depth of field for hosts of frei0r: Kdenlive, Shotcut, melt."
      scanlens_frei0r)
  endif()
  include(CPack)
  add_custom_target(package VERBATIM USES_TERMINAL
    COMMAND ${CMAKE_CPACK_COMMAND} --config ${CMAKE_CURRENT_BINARY_DIR}/CPackConfig.cmake
    DEPENDS ${packed}
    COMMENT "Packing into ${CMAKE_BINARY_DIR}/package")
endfunction()
configure_cpack()
