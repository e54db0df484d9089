# catena_instantiate_jobs(TARGET SCALAR HEADER OUT_LIST)
# One source file for each descriptor of include/catena/dynamics/jobs/ that instantiates its formulations on a scalar:
# every formulation is compiled once for a scalar, and a new descriptor needs no line in a build file.
function(catena_instantiate_jobs scalar header out_list)
  file(GLOB descriptors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/catena/dynamics/jobs/*.hpp)
  list(FILTER descriptors EXCLUDE REGEX "/(job|descriptor)\\.hpp$")
  string(MAKE_C_IDENTIFIER "${scalar}" tag)
  set(sources "")
  foreach(descriptor IN LISTS descriptors)
    get_filename_component(job ${descriptor} NAME_WE)
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
    list(APPEND sources ${source})
  endforeach()
  set(${out_list} ${sources} PARENT_SCOPE)
endfunction()
