# CATENA_FUZZ: what is built, and how, so that libFuzzer sees every branch and a sanitizer every mistake.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR " CATENA_FUZZ needs Clang, whose libFuzzer runs the targets: cmake --preset fuzz")
endif()
set(CATENA_SANITIZE fuzzer-no-link,address,undefined)
foreach(part IN ITEMS BUILD_CLI BUILD_C BUILD_TESTS BUILD_BENCH BUILD_PEERS BUILD_PAGE BUILD_EXAMPLES INSTALL)
  set(CATENA_${part} OFF)
endforeach()
