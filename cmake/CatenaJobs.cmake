# Every formulation is compiled once for a scalar, in source files that are written here: one for each descriptor of
# include/catena/dynamics/jobs/ and each scalar, where a descriptor that builds on another one (bias on inverse) goes into
# its file, for they share formulations. A new descriptor needs no line in a build file.

# catena_instantiate(NAME JOBS SCALAR HEADER OUT): adds the file NAME for these jobs to the list OUT.
function(catena_instantiate name jobs scalar header out)
  string(MAKE_C_IDENTIFIER "${scalar}" tag)
  set(includes "")
  set(instances "")
  foreach(job IN LISTS jobs)
    set(type "")
    string(REPLACE "_" ";" words ${job})
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 others)
      string(TOUPPER ${first} first)
      string(APPEND type "${first}${others}")
    endforeach()
    string(APPEND includes "#include \"catena/dynamics/jobs/${job}.hpp\"\n")
    string(APPEND instances "template std::unique_ptr<Runner<${scalar}>> make_runner_of<${type}Job, ${scalar}>(\n"
                            "    std::shared_ptr<const TreeFor<${scalar}>>, std::string_view)@end@\n")
  endforeach()
  set(end ";")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/jobs/${name}_${tag}.cpp)
  string(CONFIGURE "${instances}" instances @ONLY)
  file(CONFIGURE OUTPUT ${source} CONTENT
"@includes@#include \"catena/dynamics/runner_of.hpp\"
#include \"@header@\"

namespace catena {
@instances@}
" @ONLY)
  set(${out} ${${out}} ${source} PARENT_SCOPE)
endfunction()

# catena_instantiate_jobs(SCALAR HEADER OUT): the files for all jobs.
function(catena_instantiate_jobs scalar header out)
  file(GLOB descriptors CONFIGURE_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/catena/dynamics/jobs/*.hpp)
  list(FILTER descriptors EXCLUDE REGEX "/(job|descriptor)\\.hpp$")
  set(files "")
  foreach(descriptor IN LISTS descriptors)
    get_filename_component(job ${descriptor} NAME_WE)
    set(file ${job})
    file(STRINGS ${descriptor} lines REGEX "#include \"catena/dynamics/jobs/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*jobs/(.*)\\.hpp.*" "\\1" other ${line})
      if(NOT other STREQUAL "descriptor")
        set(file ${other})
      endif()
    endforeach()
    list(APPEND files ${file})
    list(APPEND jobs_of_${file} ${job})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(sources "")
  foreach(file IN LISTS files)
    catena_instantiate(${file} "${jobs_of_${file}}" ${scalar} ${header} sources)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
