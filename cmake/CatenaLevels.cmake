# One binary for every machine: the formulations are compiled again for each level below, and the library takes the
# highest one that the processor has (dynamics/level.hpp). What a level's files instantiate, the standard library's
# templates included, must never stand in for the baseline's copy of the same function, which runs on machines that do not
# have the instructions. So the object files of a level are joined to one, in which all names but its entry are made
# local; tools/check_levels.py looks whether that is so.

option(CATENA_LEVELS "Compile the formulations for several levels of a processor's instructions, chosen at run time" ON)

# The levels of this architecture: catena_level_names, and for each what the compiler may use and a processor must have.
set(catena_level_names "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(catena_level_names x86-64-v3 x86-64-v4)
  set(catena_instructions_x86-64-v3 popcnt avx2 fma bmi bmi2)
  set(catena_instructions_x86-64-v4 ${catena_instructions_x86-64-v3} avx512f avx512bw avx512cd avx512dq avx512vl)
endif()

# catena_why_no_levels(OUT): empty where they can be made.
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
  add_library(${target} OBJECT ${sources} level_entry.cpp)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE catena_options)
  list(TRANSFORM catena_instructions_${name} PREPEND -m OUTPUT_VARIABLE flags)
  # Names that are unique in a process cannot be made local.
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

# catena_compile_levels(SOURCES OUT OBJECTS TARGETS): OUT is to be added to the sources of the dynamics, the levels' object
# files and the file that lists them; TARGETS take its compile options.
function(catena_compile_levels sources out objects targets)
  catena_why_no_levels(why)
  set(declared "")
  set(listed "")
  set(files "")
  set(made "")
  if(NOT why)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/levels)
    foreach(name IN LISTS catena_level_names)
      string(MAKE_C_IDENTIFIER "catena_level_${name}" entry)
      catena_compile_level(${name} ${entry} "${sources}" files)
      list(TRANSFORM catena_instructions_${name} REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")" OUTPUT_VARIABLE asked)
      list(JOIN asked " &&\n       " asked)
      string(APPEND declared "extern \"C\" const catena::LevelRunners ${entry}@end@\n")
      string(APPEND listed "      {\"${name}\",\n       ${asked},\n       &${entry}},\n")
      list(APPEND made catena_dynamics_${name})
    endforeach()
  endif()
  if(made)
    set(list "  __builtin_cpu_init()@end@\n  static const CompiledLevel list[] = {\n${listed}  }@end@\n  return list@end@\n")
    list(JOIN catena_level_names ", " named)
    message(STATUS "Levels of instructions: baseline, ${named}")
  else()
    set(list "  return {}@end@\n")
    message(STATUS "Levels of instructions: baseline alone (${why})")
  endif()
  set(end ";")
  string(CONFIGURE "${declared}" declared @ONLY)
  string(CONFIGURE "${list}" list @ONLY)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/levels/compiled_levels.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT
"#include \"${CMAKE_CURRENT_SOURCE_DIR}/compiled_level.hpp\"

@declared@
namespace catena {
std::span<const CompiledLevel> compiled_levels() {
@list@}
}  // namespace catena
" @ONLY)
  set(${out} ${table} ${files} PARENT_SCOPE)
  set(${objects} ${files} PARENT_SCOPE)
  set(${targets} ${made} PARENT_SCOPE)
endfunction()
