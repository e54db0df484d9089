# One binary for every machine: the formulations are compiled again for each level below, and the library uses the
# highest one that the processor supports (run/level.hpp). What a level's files instantiate, the standard library's
# templates included, must never replace the baseline's copy of the same function, which also runs on machines without
# these instructions. So the object files of a level are joined into one, in which all names except its entry are made
# local; tools/check_levels.py checks this.

option(CATENA_LEVELS "Compile the formulations for several levels of a processor's instructions, chosen at run time" ON)

# The levels of this architecture: catena_level_names, and the instructions of each, which a processor must support.
set(catena_level_names "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(catena_level_names x86-64-v3 x86-64-v4)
  set(catena_instructions_x86-64-v3 popcnt avx2 fma bmi bmi2)
  set(catena_instructions_x86-64-v4 ${catena_instructions_x86-64-v3} avx512f avx512bw avx512cd avx512dq avx512vl)
endif()

# catena_why_no_levels(OUT): why no levels can be built; empty where they can.
function(catena_why_no_levels out)
  set(why "")
  execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE linker_options ERROR_QUIET)
  get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CATENA_LEVELS)
    set(why "CATENA_LEVELS is off")
  elseif(CATENA_NATIVE)
    set(why "CATENA_NATIVE takes this processor's")
  elseif(CATENA_SANITIZE)
    set(why "sanitizers run code of every file before the program")
  elseif(NOT catena_level_names)
    set(why "${CMAKE_SYSTEM_PROCESSOR} has one")
  elseif(WIN32)
    set(why "GCC does not align AVX vectors on the stack of Windows (its bug 54412)")
  elseif(several_configurations)
    set(why "the generator builds several configurations")
  elseif(APPLE OR NOT UNIX OR NOT CMAKE_OBJCOPY OR NOT linker_options MATCHES "--force-group-allocation")
    set(why "they need the linker and objcopy of GNU binutils")
  endif()
  set(${out} "${why}" PARENT_SCOPE)
endfunction()

# catena_compile_level(NAME ENTRY SOURCES OUT): adds the object file of a level to the list OUT.
function(catena_compile_level name entry sources out)
  set(target catena_dynamics_${name})
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE catena_options)
  list(TRANSFORM catena_instructions_${name} PREPEND -m OUTPUT_VARIABLE flags)
  # GNU unique symbols cannot be made local.
  target_compile_options(${target} PRIVATE ${flags} -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_compile_definitions(${target} PRIVATE CATENA_LEVEL_ENTRY=${entry})
  set(joined ${CMAKE_CURRENT_BINARY_DIR}/levels/${name}-joined.o)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/levels/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} $<TARGET_OBJECTS:${target}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${entry} ${joined} ${object}
    DEPENDS ${target} $<TARGET_OBJECTS:${target}> COMMENT "Joining the formulations of ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${out} ${${out}} ${object} PARENT_SCOPE)
endfunction()

# catena_compile_levels(SOURCES OBJECTS TARGETS): OBJECTS are the levels' object files, to be added to the dynamics, none
# where levels cannot be built; TARGETS are the targets that compile them. src/run/compiled_levels.cpp names them.
function(catena_compile_levels sources objects targets)
  catena_why_no_levels(why)
  set(files "")
  set(made "")
  if(why)
    message(STATUS "Levels of instructions: baseline alone (${why})")
  else()
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/levels)
    foreach(name IN LISTS catena_level_names)
      string(MAKE_C_IDENTIFIER "catena_level_${name}" entry)
      catena_compile_level(${name} ${entry} "${sources}" files)
      list(APPEND made catena_dynamics_${name})
    endforeach()
    list(JOIN catena_level_names ", " named)
    message(STATUS "Levels of instructions: baseline, ${named}")
  endif()
  set(${objects} ${files} PARENT_SCOPE)
  set(${targets} ${made} PARENT_SCOPE)
endfunction()
