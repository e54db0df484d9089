# Creates targets in one way: a library per layer, programs and tests, all with the same language level and warnings.

# The compile options of everything built here. They are private: a user's program chooses its own.
add_library(catena_options INTERFACE)
target_compile_features(catena_options INTERFACE cxx_std_20)
target_compile_options(catena_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror=switch)
# Clang also warns about deprecated functions that the standard library's own templates use, and where | of truths is meant:
# both are computed, and nothing branches.
target_compile_options(catena_options INTERFACE
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-deprecated-declarations;-Wno-bitwise-instead-of-logical;-Wno-unknown-warning-option>)
if(MINGW)  # templates make more sections than an object file of Windows has room for
  target_compile_options(catena_options INTERFACE -Wa,-mbig-obj)
  target_compile_definitions(catena_options INTERFACE _FILE_OFFSET_BITS=64 __USE_MINGW_ANSI_STDIO=1)
endif()
if(CATENA_WARNINGS_AS_ERRORS)
  target_compile_options(catena_options INTERFACE -Werror)
endif()
if(CATENA_NATIVE)
  target_compile_options(catena_options INTERFACE -march=native)
endif()
# Where optimizing pays little. Debug means none at all: it compiles fastest, and its lines are those of the source. With
# sanitizers only what computes is optimized, on double: the rest would take several times as long to compile.
set(catena_light $<$<NOT:$<CONFIG:Debug>>:-O1>)
set(catena_plain "")
if(CATENA_SANITIZE)
  set(catena_light -O0)
  set(catena_plain -O0)
  target_compile_options(catena_options INTERFACE -fsanitize=${CATENA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(catena_options INTERFACE -fsanitize=${CATENA_SANITIZE})
  target_compile_definitions(catena_options INTERFACE CATENA_SANITIZED)  # compilers say it in ways of their own
endif()

# All layers together; its property CATENA_LAYERS lists their names, lower ones first.
add_library(catena INTERFACE)
add_library(catena::catena ALIAS catena)

# catena_layer(NAME SOURCES ... USES lower layers ... PACKAGES of CatenaPackages.cmake ...
#              LIBRARIES private third-party targets of these ...)
# creates the target catena_NAME, which users link as catena::NAME. Users of an installed Catena also need the packages,
# and find them in the same way.
function(catena_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PACKAGES;LIBRARIES" ${ARGN})
  catena_need(${ARG_PACKAGES})
  add_library(catena_${name} ${ARG_SOURCES})
  add_library(catena::${name} ALIAS catena_${name})
  set_target_properties(catena_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  set_target_properties(catena_${name} PROPERTIES CATENA_USES "${ARG_USES}" CATENA_PACKAGES "${ARG_PACKAGES}")
  target_include_directories(catena_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                            PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(catena_${name} PUBLIC cxx_std_20)
  # Linking a static library also links the layers below it; compiling it does not wait for them.
  set(linked INTERFACE)
  if(BUILD_SHARED_LIBS)
    set(linked PUBLIC)
  endif()
  foreach(lower IN LISTS ARG_USES)
    target_link_libraries(catena_${name} ${linked} catena_${lower})
  endforeach()
  target_link_libraries(catena_${name} PRIVATE $<BUILD_INTERFACE:catena_options>)
  # CMake's Release means -O3, which takes a fifth longer to compile and pays only in the recursions, which set it.
  target_compile_options(catena_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  if(NOT name MATCHES "^(scalar|model|dynamics|dense|trajectory|sim|control|identify)$")
    target_compile_options(catena_${name} PRIVATE ${catena_plain})
  endif()
  foreach(library IN LISTS ARG_LIBRARIES)
    target_link_libraries(catena_${name} PRIVATE ${library})
  endforeach()
  set_property(TARGET catena APPEND PROPERTY CATENA_LAYERS ${name})
endfunction()

# catena_instances(TARGET SCALAR [SOURCES]): object files with every job's runners on a scalar; with SOURCES only those
# of these files of src/run/instances/. They are compiled as one file, in a third of the time, except on double, which
# people measure: there, what else a file contains would affect which calls are inlined.
set(catena_run_folder ${CMAKE_CURRENT_LIST_DIR}/../src/run)
file(GLOB catena_instance_files CONFIGURE_DEPENDS ${catena_run_folder}/instances/*.cpp)
function(catena_instances target scalar)
  set(sources ${ARGN})
  if(NOT sources)
    set(sources ${catena_instance_files})
  endif()
  set(maker ${catena_run_folder}/make_runner.cpp)
  set_source_files_properties(${maker} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")  # the charts
  add_library(${target} OBJECT ${sources} ${maker})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CATENA_UNITY AND NOT scalar STREQUAL "double")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE CATENA_SCALAR=${scalar})
  target_link_libraries(${target} PRIVATE catena_options)
endfunction()
