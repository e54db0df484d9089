# find_package(catena) for other projects: catena::catena is everything, catena::model, catena::dynamics, … are single
# layers, which COMPONENTS can select. Every layer has its own export, so that it works without the packages of others.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)  # CatenaDeb.cmake makes a package of each component

set(catena_layer_facts "")
foreach(name IN LISTS catena_packages_library)
  string(APPEND catena_layer_facts "set(_catena_arguments_${name} \"${catena_arguments_${name}}\")\n"
                                   "set(_catena_debian_${name} \"${catena_debian_${name}}\")\n")
endforeach()
foreach(name IN LISTS catena_layers)
  get_target_property(uses catena_${name} CATENA_USES)
  get_target_property(packages catena_${name} CATENA_PACKAGES)
  string(APPEND catena_layer_facts "set(_catena_uses_${name} \"${uses}\")\n"
                                   "set(_catena_packages_${name} \"${packages}\")\n")
  install(TARGETS catena_${name} EXPORT catena-${name}-targets)
  install(EXPORT catena-${name}-targets NAMESPACE catena:: DESTINATION ${package_folder})
endforeach()
if(TARGET catena_c)  # a component, but no layer: catena::catena does without it
  list(APPEND catena_layers c)
  string(APPEND catena_layer_facts "set(_catena_uses_c \"\")\nset(_catena_packages_c \"\")\n")
  install(TARGETS catena_c EXPORT catena-c-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
  install(EXPORT catena-c-targets NAMESPACE catena:: DESTINATION ${package_folder})
  install(FILES include/catena.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH from_pc_to_prefix /${pkgconfig_folder} /)
  string(REGEX REPLACE "/$" "" from_pc_to_prefix "${from_pc_to_prefix}")
  configure_file(cmake/catena.pc.in ${CMAKE_CURRENT_BINARY_DIR}/catena.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/catena.pc DESTINATION ${pkgconfig_folder})
endif()
install(TARGETS catena EXPORT catena-targets)
install(EXPORT catena-targets NAMESPACE catena:: DESTINATION ${package_folder})

install(DIRECTORY include/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/catena/models COMPONENT program PATTERN bad EXCLUDE)
if(TARGET catena_page)  # where it could be built
  install(FILES ${CMAKE_BINARY_DIR}/page/page.html DESTINATION ${CMAKE_INSTALL_DATADIR}/catena COMPONENT program OPTIONAL)
endif()
# A program finds the models beside the package that it is built with, even after the package was moved.
set(models_folder ${CMAKE_INSTALL_DATADIR}/catena/models)
if(NOT IS_ABSOLUTE ${models_folder})
  set(models_folder $<INSTALL_PREFIX>/${models_folder})
endif()
target_compile_definitions(catena_io INTERFACE $<INSTALL_INTERFACE:CATENA_PACKAGE_MODELS="${models_folder}">)

configure_package_config_file(cmake/catena-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/catena-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/catena-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/catena-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/catena-config-version.cmake
        DESTINATION ${package_folder})
