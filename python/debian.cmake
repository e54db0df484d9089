# Where Debian has Python packages: pip installs the rest of the package, here CMake does. The program and its models are those of
# the package catena, by links.
set(dist_packages lib/python3/dist-packages)
install(DIRECTORY catena DESTINATION ${dist_packages} COMPONENT python FILES_MATCHING PATTERN *.py PATTERN py.typed)
install(TARGETS _catena LIBRARY DESTINATION ${dist_packages}/catena COMPONENT python)
install(FILES ${stub} DESTINATION ${dist_packages}/catena COMPONENT python)

set(links ${CMAKE_CURRENT_BINARY_DIR}/links)
foreach(link IN ITEMS bin/catena share/catena)
  cmake_path(GET link PARENT_PATH folder)
  file(MAKE_DIRECTORY ${links}/${folder})
  file(CREATE_LINK ../../../../../${link} ${links}/${link} SYMBOLIC)
  install(FILES ${links}/${link} DESTINATION ${dist_packages}/catena/${folder} COMPONENT python)
endforeach()

# For those who ask which packages of Python there are.
set(facts ${CMAKE_CURRENT_BINARY_DIR}/METADATA)
file(WRITE ${facts} "Metadata-Version: 2.1\nName: catena-dynamics\nVersion: ${SKBUILD_PROJECT_VERSION}\nSummary: Dynamics of robot manipulators\nRequires-Dist: numpy>=1.23\n")
install(FILES ${facts} DESTINATION ${dist_packages}/catena_dynamics-${SKBUILD_PROJECT_VERSION}.dist-info COMPONENT python)
