# Debian packages from this build folder, by CPack: nothing is compiled again. `make deb` calls tools/make_deb.py, which first
# writes what Debian wants beside the files that are installed anyway, into the folder deb/ of the build, and then calls CPack.
#   component     package          has
#   program       catena           the program, its models, the page, the manual page
#   library       libcatena1       libcatena.so.1
#   development   libcatena-dev    headers, static libraries, the CMake package, catena.pc
#   python        python3-catena   the package for Debian's own python3; a project of its own, python/ with CATENA_DEBIAN
set(CATENA_MAINTAINER "The Catena authors <catena@catena.invalid>" CACHE STRING "Who answers for the Debian packages")
set(deb ${CMAKE_BINARY_DIR}/deb)
set(deb_program catena)
set(deb_library libcatena1)
set(deb_development libcatena-dev)
set(deb_python python3-catena)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME catena)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${CATENA_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${deb})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/strip_archives.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development)  # make_deb.py adds python
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE catena)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0)  # ours; Debian's own would begin with 1
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# deb_package(COMPONENT SUMMARY TEXT [DEPENDS ...]): its fields, and the files in its share/doc.
function(deb_package component summary text)
  cmake_parse_arguments(ARG "" "" "DEPENDS;RECOMMENDS" ${ARGN})
  string(TOUPPER ${component} name)
  set(package ${deb_${component}})
  list(JOIN ARG_DEPENDS ", " depends)
  list(JOIN ARG_RECOMMENDS ", " recommends)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  install(FILES ${deb}/copyright ${deb}/changelog.Debian.gz DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(exactly "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(what "Catena computes torques, accelerations, derivatives and motions of robots from URDF, MJCF, SDF and TOML files, simulates and identifies them, and writes code and equations for them.")
deb_package(program "dynamics of robot manipulators" "${what} This package has the program, the robots that it knows by name and the page that it fills."
            RECOMMENDS gnuplot-nox)
install(FILES ${deb}/catena.1.gz DESTINATION share/man/man1 COMPONENT program EXCLUDE_FROM_ALL)

deb_package(library "dynamics of robot manipulators - shared library" "${what} This package has the shared library with the C interface."
            RECOMMENDS catena)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)

set(needed "libcatena1 ${exactly}")
foreach(package IN LISTS catena_packages_library)
  list(APPEND needed ${catena_debian_${package}})
endforeach()
deb_package(development "dynamics of robot manipulators - development files" "${what} This package has the headers of C and C++, the libraries of the layers, and what CMake and pkg-config need to find them."
            DEPENDS ${needed} RECOMMENDS catena)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)

# The module is compiled for one version of Python: Debian's.
execute_process(COMMAND /usr/bin/python3 -c "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})')"
                OUTPUT_VARIABLE pythons OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
deb_package(python "dynamics of robot manipulators - Python package" "${what} This package has the module catena of Python 3."
            DEPENDS "catena ${exactly}" "${pythons}" "python3-numpy (>= 1:1.23)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/postinst ${CMAKE_CURRENT_LIST_DIR}/debian/prerm)
include(CPack)
