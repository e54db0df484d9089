# What tools/make_deb.py (`make deb`) needs to know to make Debian packages of what is built here; each has the files of one
# component of the install rules: program, library, development. The component python is that of python/, with CATENA_DEBIAN.
set(CATENA_MAINTAINER "The Catena authors <catena@catena.invalid>" CACHE STRING "Who answers for the Debian packages")
set(development "")
foreach(package IN LISTS catena_packages_library)
  list(APPEND development "\"${catena_debian_${package}}\"")
endforeach()
list(JOIN development ", " development)
file(CONFIGURE OUTPUT deb/facts.json CONTENT
     "{\"version\": \"@PROJECT_VERSION@\", \"maintainer\": \"@CATENA_MAINTAINER@\", \"development\": [@development@]}\n" @ONLY)
