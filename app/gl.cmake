# scanlens_gl: OpenGL without a window, shaders from files, the teapot scene.
get_filename_component(SCANLENS_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
find_package(glm REQUIRED)

# The OpenGL and EGL loader comes from glad at build time. libEGL itself is opened at run time, so that the program also
# starts on machines that have none. Debian's glad belongs to /usr/bin/python3, whichever python comes first on PATH.
find_program(SCANLENS_GLAD glad PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SCANLENS_GLAD_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT SCANLENS_GLAD OR NOT SCANLENS_GLAD_PYTHON)
  message(FATAL_ERROR "/usr/bin/glad was not found: install python3-glad")
endif()
set(SCANLENS_GLAD_EXTENSIONS
  GL_KHR_debug EGL_EXT_platform_base EGL_EXT_platform_device EGL_EXT_device_base EGL_EXT_device_enumeration
  EGL_EXT_device_query EGL_NV_device_cuda EGL_MESA_platform_surfaceless EGL_KHR_surfaceless_context
  EGL_KHR_no_config_context)
list(JOIN SCANLENS_GLAD_EXTENSIONS "," SCANLENS_GLAD_EXTENSIONS)
set(SCANLENS_GLAD_OUT ${CMAKE_CURRENT_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${SCANLENS_GLAD_OUT}/src/gl.c ${SCANLENS_GLAD_OUT}/src/egl.c ${SCANLENS_GLAD_OUT}/include/glad/gl.h
         ${SCANLENS_GLAD_OUT}/include/glad/egl.h
  COMMAND ${SCANLENS_GLAD_PYTHON} ${SCANLENS_GLAD} --reproducible --quiet --api gl:core=4.5,egl=1.5
          --extensions ${SCANLENS_GLAD_EXTENSIONS} --out-path ${SCANLENS_GLAD_OUT} c --loader
  COMMENT "Generating the OpenGL loader"
  VERBATIM)
add_library(scanlens_glad STATIC ${SCANLENS_GLAD_OUT}/src/gl.c ${SCANLENS_GLAD_OUT}/src/egl.c)
target_include_directories(scanlens_glad SYSTEM PUBLIC ${SCANLENS_GLAD_OUT}/include)
# EGL's header would otherwise ask for X11's.
target_compile_definitions(scanlens_glad PUBLIC EGL_NO_X11)
target_compile_options(scanlens_glad PRIVATE -w)
target_link_libraries(scanlens_glad PUBLIC ${CMAKE_DL_LIBS})

# Everything that shaders are made of, and the teapot's control points, live inside the binary.
file(GLOB SCANLENS_EMBEDDED RELATIVE ${SCANLENS_ROOT} CONFIGURE_DEPENDS
  ${SCANLENS_ROOT}/shaders/* ${SCANLENS_ROOT}/core/*_formula.h
  ${SCANLENS_ROOT}/filters/color.h ${SCANLENS_ROOT}/filters/*_formula.h)
list(APPEND SCANLENS_EMBEDDED data/teapot.patches)
list(TRANSFORM SCANLENS_EMBEDDED PREPEND ${SCANLENS_ROOT}/ OUTPUT_VARIABLE SCANLENS_EMBEDDED_PATHS)
set(SCANLENS_EMBEDDED_CPP ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
add_custom_command(
  OUTPUT ${SCANLENS_EMBEDDED_CPP}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${SCANLENS_EMBEDDED_CPP} -D ROOT=${SCANLENS_ROOT} -D "FILES=${SCANLENS_EMBEDDED}"
          -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${SCANLENS_EMBEDDED_PATHS} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  COMMENT "Embedding shaders"
  VERBATIM)

add_library(scanlens_gl STATIC
  ${CMAKE_CURRENT_LIST_DIR}/gl_context.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gl_program.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gl_download.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shader_sources.cpp
  ${CMAKE_CURRENT_LIST_DIR}/teapot_block.cpp
  ${CMAKE_CURRENT_LIST_DIR}/teapot_camera.cpp
  ${CMAKE_CURRENT_LIST_DIR}/teapot_patches.cpp
  ${CMAKE_CURRENT_LIST_DIR}/teapot_scene.cpp
  ${SCANLENS_EMBEDDED_CPP})
target_link_libraries(scanlens_gl PUBLIC scanlens_filters scanlens_options scanlens_glad glm::glm fmt::fmt)
