# tests/unit/test_*.c: one cmocka program each, linked with the static form of the library so that internal functions
# can be called. A file with the line `/* variants: mixed double */` is built once per precision.
# tests/{cli,docs,physics,parity,python}/**/test_*.py: one CTest entry per file, labelled `check` (quick tests) and, if
# a file has tests marked `long`, `validate`.

pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
find_library(CERF_LIBRARY cerf)
find_path(CERF_INCLUDE_DIR cerf.h)
if(NOT CMOCKA_FOUND OR NOT CERF_LIBRARY OR NOT CERF_INCLUDE_DIR)
  message(STATUS "Unit tests: off, they need cmocka and libcerf")
else()
  add_library(linerad_static STATIC ${objects})
  set_target_properties(linerad_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME linerad_static)
  target_link_libraries(linerad_static PUBLIC linerad_private)
  add_custom_target(unit_tests)

  # The CPU in the place of GPUs (tests/cli/test_devices.py).
  add_library(pretended_gpu MODULE tests/cli/pretended_gpu.c)
  target_link_libraries(pretended_gpu PRIVATE linerad_static)
  target_link_options(pretended_gpu PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(pretended_gpu PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)

  function(add_unit_test name source)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE linerad_static PkgConfig::CMOCKA ${CERF_LIBRARY} m)
    target_include_directories(${name} SYSTEM PRIVATE ${CERF_INCLUDE_DIR})
    target_compile_definitions(${name} PRIVATE LR_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${ARGN})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
    add_dependencies(unit_tests ${name})
    add_test(NAME unit.${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600)
    if(name MATCHES "^test_(redistribution|ball|tables)") # draw up to 5e8 atoms, as fast as the drivers do
      set_tests_properties(unit.${name} PROPERTIES COST 20)
      if(NOT LINERAD_SANITIZE)
        target_compile_options(${name} PRIVATE ${kernel_flags} ${isa_flags_baseline})
      endif()
    endif()
  endfunction()

  file(GLOB unit_sources CONFIGURE_DEPENDS tests/unit/test_*.c)
  foreach(source ${unit_sources})
    get_filename_component(name ${source} NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} variants REGEX "^/\\* variants: mixed double \\*/$")
    if(variants)
      add_unit_test(${name}_mixed ${source})
      add_unit_test(${name}_double ${source} LR_REAL_DOUBLE)
    else()
      add_unit_test(${name} ${source})
    endif()
  endforeach()
endif()

# A "GPU" for tests of what happens when one fails.
if(TARGET linerad_static AND NOT LINERAD_SANITIZE)
  add_library(fake_gpu MODULE tests/cli/fake_gpu.c)
  target_link_libraries(fake_gpu PRIVATE linerad_static)
  set_target_properties(fake_gpu PROPERTIES OUTPUT_NAME linerad_cuda PREFIX lib SUFFIX .so
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests/fake_gpu)
endif()

if(NOT TARGET linerad_cli)
  return()
endif()
set(python ${LINERAD_PYTHON})
if(NOT python AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
if(NOT python)
  message(STATUS "Python tests: off, no .venv (tools/install-deps check makes it) and no LINERAD_PYTHON")
  return()
endif()

# The Python package is used from its sources, with the library of this build.
set(test_environment LINERAD_BIN=$<TARGET_FILE:linerad_cli> LINERAD_LIBRARY=$<TARGET_FILE:linerad>
    PYTHONPATH=${PROJECT_SOURCE_DIR}/python PYTHONPYCACHEPREFIX=${CMAKE_CURRENT_BINARY_DIR}/pycache)
if(TARGET pretended_gpu)
  list(APPEND test_environment LINERAD_PRETENDED_GPU=$<TARGET_FILE:pretended_gpu>)
endif()
# Reference data that is not part of the project, next to the checkout or where LINERAD_REFERENCE says; tests that need
# it are skipped without it.
get_filename_component(reference ${PROJECT_SOURCE_DIR}/../shared/reference ABSOLUTE)
if(EXISTS ${reference})
  list(APPEND test_environment LINERAD_REFERENCE=${reference})
endif()
cmake_host_system_information(RESULT n_core QUERY NUMBER_OF_LOGICAL_CORES)

# Quick tests use one thread each and run in parallel, which is faster than one after the other on all cores; long ones
# use all cores. 5 is pytest's exit status if the marker selects nothing.
function(add_python_test name file label marker timeout)
  add_test(NAME ${name} COMMAND ${python} -m pytest -q -rs -p no:cacheprovider -m ${marker} ${file})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 5)
  if(label STREQUAL "validate")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" PROCESSORS ${n_core})
  else()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment};OMP_NUM_THREADS=1")
    if(name MATCHES "^physics")
      set_tests_properties(${name} PROPERTIES COST 10) # the long ones start first, so that no core waits at the end
    endif()
  endif()
endfunction()

foreach(suite cli docs physics parity python)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS tests/${suite}/test_*.py)
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/tests ${file})
    string(REGEX REPLACE "\\.py$" "" name ${name})
    string(REPLACE "/" "." name ${name})
    add_python_test(${name} ${file} check "not long" 600)
    file(STRINGS ${file} long_tests REGEX "mark\\.long")
    if(long_tests)
      add_python_test(long.${name} ${file} validate "long" 7200)
    endif()
  endforeach()
endforeach()

# The same cases on the CPU and on a GPU, in both precisions; skipped if there is no GPU.
function(add_parity_test name)
  add_test(NAME parity.${name} COMMAND ${python} ${ARGN})
  set_tests_properties(parity.${name} PROPERTIES LABELS check TIMEOUT 1800 SKIP_RETURN_CODE 77 RUN_SERIAL TRUE
                       ENVIRONMENT "${test_environment}")
endfunction()

add_parity_test(devices ${PROJECT_SOURCE_DIR}/tests/parity/devices.py)
add_parity_test(images ${PROJECT_SOURCE_DIR}/tests/parity/images.py)
add_parity_test(levels ${PROJECT_SOURCE_DIR}/tests/parity/levels.py)
add_parity_test(transport ${PROJECT_SOURCE_DIR}/tests/parity/compare.py cpu:mixed cuda:mixed cuda:double)
