# Every formulation is compiled once for a scalar, in source files that are written here: one for each descriptor of
# include/catena/dynamics/jobs/ and each scalar. A new descriptor needs no line in a build file.

# catena_instantiate_job(JOB SCALAR HEADER OUT): adds the file for one job to the list OUT.
function(catena_instantiate_job job scalar header out)
  string(MAKE_C_IDENTIFIER "${scalar}" tag)
  set(type "")
  string(REPLACE "_" ";" words ${job})
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 others)
    string(TOUPPER ${first} first)
    string(APPEND type "${first}${others}")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/jobs/${job}_${tag}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"catena/dynamics/jobs/@job@.hpp\"

#include \"catena/dynamics/runner_of.hpp\"
#include \"@header@\"

namespace catena {
template std::unique_ptr<Runner<@scalar@>> make_runner_of<@type@Job, @scalar@>(const MechanismFor<@scalar@>&,
                                                                               std::string_view);
}
" @ONLY)
  set(${out} ${${out}} ${source} PARENT_SCOPE)
endfunction()

# catena_instantiate_jobs(SCALAR HEADER OUT): the same for all jobs.
function(catena_instantiate_jobs scalar header out)
  file(GLOB descriptors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/catena/dynamics/jobs/*.hpp)
  list(FILTER descriptors EXCLUDE REGEX "/(job|descriptor)\\.hpp$")
  set(sources "")
  foreach(descriptor IN LISTS descriptors)
    get_filename_component(job ${descriptor} NAME_WE)
    catena_instantiate_job(${job} ${scalar} ${header} sources)
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
