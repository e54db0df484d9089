# Compiles several files as one: most compile time goes into templates that every file of a layer instantiates again.
# Files that use the same name for different things must not be united.

option(CATENA_UNITY "Compile several files as one" ON)

# catena_unite(NAME SOURCES): sets the variable NAME to one file that includes all of these, or to the files themselves where
# CATENA_UNITY is off. Unlike CMake's UNITY_BUILD it unites exactly these files, and the result can have own options.
function(catena_unite name united)
  set(files ${united})
  if(CATENA_UNITY)
    set(text "")
    foreach(file IN LISTS united)
      get_filename_component(file ${file} ABSOLUTE)
      string(APPEND text "#include \"${file}\"\n")
    endforeach()
    set(files ${CMAKE_CURRENT_BINARY_DIR}/united/${name}.cpp)
    file(CONFIGURE OUTPUT ${files} CONTENT "${text}" @ONLY)
  endif()
  set(${name} ${files} PARENT_SCOPE)
endfunction()
