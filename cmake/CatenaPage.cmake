# The page of `catena report`, build/page/page.html: TypeScript (page/) with npm's packages, and the library as WebAssembly
# (wasm/) inside. It is optional: without Node.js there is no page, without Emscripten the page shows results but does
# not compute, and one line says so.
include(ExternalProject)
find_program(CATENA_NODE node)
find_program(CATENA_NPM npm)
find_program(CATENA_EMCC emcc)
cmake_path(GET CATENA_EMCC PARENT_PATH emscripten)  # an installation from emscripten.org has everything there
find_file(CATENA_EMSCRIPTEN_TOOLCHAIN Emscripten.cmake
  PATHS /usr/share/emscripten /usr/lib/emscripten ${emscripten} PATH_SUFFIXES cmake/Modules/Platform NO_DEFAULT_PATH)

if(NOT CATENA_NODE OR NOT CATENA_NPM)
  set(why "Page of `catena report`: none, Node.js is missing (Debian: nodejs npm)")
  message(STATUS "${why}")
  add_custom_target(catena_page COMMAND ${CMAKE_COMMAND} -E echo "${why}" VERBATIM)
  return()
endif()

set(page_folder ${CMAKE_BINARY_DIR}/page)
set(engine "")
if(CATENA_EMCC AND CATENA_EMSCRIPTEN_TOOLCHAIN)
  message(STATUS "Page of `catena report`: with the library as WebAssembly")
  set(engine ${CMAKE_BINARY_DIR}/wasm/catena.wasm)
  # Its own Ninja decides what to rebuild; two jobs at a time, beside the rest of the build.
  ExternalProject_Add(catena_wasm
    SOURCE_DIR ${PROJECT_SOURCE_DIR}/wasm
    BINARY_DIR ${CMAKE_BINARY_DIR}/wasm
    CMAKE_GENERATOR Ninja
    CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CATENA_EMSCRIPTEN_TOOLCHAIN} -DCMAKE_BUILD_TYPE=None
               -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
    BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --parallel 2
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${engine}
    INSTALL_COMMAND ""
    EXCLUDE_FROM_ALL ON)
else()
  message(STATUS "Page of `catena report`: plays, but does not compute; Emscripten is missing (Debian: emscripten)")
endif()

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/page/*)
add_custom_command(
  OUTPUT ${page_folder}/page.stamp
  COMMAND ${CMAKE_COMMAND} -DNODE=${CATENA_NODE} -DNPM=${CATENA_NPM} -DSOURCE=${PROJECT_SOURCE_DIR}/page
          -DTO=${page_folder} -DENGINE=${engine} -DSTAMP=${page_folder}/page.stamp
          -P ${CMAKE_CURRENT_LIST_DIR}/build_page.cmake
  DEPENDS ${page_sources} ${engine} $<TARGET_NAME_IF_EXISTS:catena_wasm> ${CMAKE_CURRENT_LIST_DIR}/build_page.cmake
          ${CMAKE_CURRENT_LIST_DIR}/embed_engine.mjs
  COMMENT "Building the page" VERBATIM)
add_custom_target(catena_page ALL DEPENDS ${page_folder}/page.stamp)
