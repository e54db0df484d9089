# Several files compiled as one: most of a compiler's time goes into templates that every file of a layer instantiates again.
# Files that have a name of their own for something else must not be united with those that mean another by it.

option(CATENA_UNITY "Compile several files as one" ON)

# catena_unite(NAME SOURCES): sets the variable NAME to one file that includes all of these, or to the files themselves where
# CATENA_UNITY is off. Unlike CMake's UNITY_BUILD it unites what is asked for, and the result may have options of its own.
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
