# find_package(catena) for other projects: catena::catena is everything, catena::model, catena::dynamics, … single layers.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY CATENA_LAYERS)
add_library(catena INTERFACE)
add_library(catena::catena ALIAS catena)
target_link_libraries(catena INTERFACE ${layers})

install(TARGETS catena ${layers} EXPORT catena-targets)
install(DIRECTORY include/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/catena/models PATTERN bad EXCLUDE)
install(EXPORT catena-targets NAMESPACE catena:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)

configure_package_config_file(cmake/catena-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/catena-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/catena-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/catena-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/catena-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
