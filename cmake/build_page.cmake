# Run by CatenaPage.cmake: gets packages from the registry once, then builds the page. Without a network the build
# continues without the page, and says so in one line; `make page` tries again.
file(REMOVE ${TO}/page.html)
file(MAKE_DIRECTORY ${TO})
file(REMOVE_RECURSE ${TO}/src)
file(COPY ${SOURCE}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE)
file(TOUCH ${STAMP})

function(attempt what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${TO} RESULT_VARIABLE failed OUTPUT_FILE ${TO}/page.log
                  ERROR_FILE ${TO}/page.log)
  if(NOT failed EQUAL 0)
    message("No page for `catena report`: ${what} failed, see ${TO}/page.log; `make page` tries again")
  endif()
  set(failed ${failed} PARENT_SCOPE)
endfunction()

set(installed ${TO}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${SOURCE}/package-lock.json IS_NEWER_THAN ${installed})
  # Not `npm ci`: it rejects a lock file without the packages for other systems, which not every registry has.
  attempt("getting packages from npm's registry" ${NPM} install --no-save --no-audit --no-fund --fetch-retries 1 --fetch-timeout 60000)
  if(NOT failed EQUAL 0)
    return()
  endif()
  file(TOUCH ${installed})
endif()
attempt("building it" ${NPM} run build)
if(NOT failed EQUAL 0)
  return()
endif()
attempt("putting the library into it" ${NODE} ${CMAKE_CURRENT_LIST_DIR}/embed_engine.mjs ${TO}/dist/page.html ${TO}/page.html ${ENGINE})
