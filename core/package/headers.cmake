# headers.cmake: writes the headers that others include, which here are <core/scan.h>, as <scanlens/core/scan.h>.
# cmake -DFROM=SOURCES -DTO=FOLDER -P headers.cmake HEADER...
math(EXPR last "${CMAKE_ARGC} - 1")
set(found FALSE)
foreach(i RANGE ${last})
  if(found)
    set(header ${CMAKE_ARGV${i}})
    file(READ ${FROM}/${header} text)
    string(REGEX REPLACE "#include \"(core|filters)/" "#include \"scanlens/\\1/" text "${text}")
    file(WRITE ${TO}/${header} "${text}")
  elseif(CMAKE_ARGV${i} MATCHES "headers\\.cmake$")
    set(found TRUE)
  endif()
endforeach()
