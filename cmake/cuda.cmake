# liblinerad_cuda.so: loaded at run time from the folder of liblinerad.so. Static CUDA runtime, one exported entry, so a
# machine without a driver loses only this file. src/backend/cuda/*.cu; *_transport.cu and *_trace.cu are compiled once
# per mesh and precision with LR_CUDA_VARIANT=mixed|double|shells_mixed|shells_double, *_levels.cu once per precision.
# CUDA 12 and 13.

file(GLOB cuda_sources CONFIGURE_DEPENDS src/backend/cuda/*.cu)
set(cuda_drivers ${cuda_sources})
list(FILTER cuda_drivers INCLUDE REGEX "_(transport|trace|levels)\\.cu$")
list(FILTER cuda_sources EXCLUDE REGEX "_(transport|trace|levels)\\.cu$")

if(NOT LINERAD_CUDA OR LINERAD_SANITIZE)
  message(STATUS "CUDA backend: off")
  return()
endif()

# A backend that nothing here can use takes longer to compile than all the rest.
execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET TIMEOUT 20)
if(LINERAD_CUDA STREQUAL "AUTO" AND NOT gpus MATCHES "GPU")
  message(STATUS "CUDA backend: off, since no GPU answers on this machine (nvidia-smi -L); to build it for another "
                 "machine, set -DLINERAD_CUDA=ON (for make and pip: CMAKE_ARGS=-DLINERAD_CUDA=ON)")
  return()
endif()

# Compiler detection needs some architecture; the targets below set their own.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)
endif()
find_program(LINERAD_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(LINERAD_NVCC)
if(LINERAD_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(ENV{CUDACXX} ${LINERAD_NVCC})
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(LINERAD_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA backend: off, no working nvcc")
    return()
  endif()
  message(FATAL_ERROR "LINERAD_CUDA=ON, but no working nvcc was found (see CMakeFiles/CMakeError.log)")
endif()
enable_language(CUDA)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")

set(cuda_architectures ${LINERAD_CUDA_ARCHITECTURES})
if(NOT cuda_architectures AND LINERAD_NATIVE AND gpus MATCHES "GPU")
  set(cuda_architectures native)
elseif(NOT cuda_architectures)
  set(cuda_architectures 80-real 90-real 90-virtual)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    list(PREPEND cuda_architectures 70-real)
  endif()
endif()
message(STATUS "CUDA backend: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${cuda_architectures}")

# No -pedantic: the code that nvcc generates for the host is not pedantic.
add_library(linerad_cuda_flags INTERFACE)
target_include_directories(linerad_cuda_flags INTERFACE include src)
target_include_directories(linerad_cuda_flags SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})
target_compile_definitions(linerad_cuda_flags INTERFACE LR_VERSION="${PROJECT_VERSION}")
# Subnormal numbers do not matter, and square roots need not be exact to the last bit (src/kernel/real.h).
target_compile_options(linerad_cuda_flags INTERFACE
                       -ftz=true -prec-sqrt=false -prec-div=false
                       -Xcompiler=-Wall,-Wextra,-Wshadow,-Wdouble-promotion,-Wfloat-conversion)
if(LINERAD_WERROR)
  target_compile_options(linerad_cuda_flags INTERFACE "SHELL:-Werror all-warnings" -Xcompiler=-Werror)
endif()

set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend/cuda/cuda_balls.cu PROPERTIES
                            COMPILE_DEFINITIONS LR_REAL_DOUBLE)

set(cuda_targets "")
foreach(precision mixed double shells_mixed shells_double amr_mixed amr_double)
  if(cuda_drivers)
    set(variant_drivers ${cuda_drivers})
    if(precision MATCHES shells)
      list(FILTER variant_drivers EXCLUDE REGEX "_levels\\.cu$")
    endif()
    add_library(linerad_cuda_${precision} OBJECT ${variant_drivers})
    target_compile_definitions(linerad_cuda_${precision} PRIVATE LR_CUDA_VARIANT=${precision}
                               $<$<IN_LIST:${precision},double$<SEMICOLON>shells_double$<SEMICOLON>amr_double>:LR_REAL_DOUBLE>
                               $<$<IN_LIST:${precision},shells_mixed$<SEMICOLON>shells_double>:LR_WALK_SHELLS>
                               $<$<IN_LIST:${precision},amr_mixed$<SEMICOLON>amr_double>:LR_WALK_AMR>)
    list(APPEND cuda_targets linerad_cuda_${precision})
  endif()
endforeach()
find_package(Threads REQUIRED)
add_library(linerad_cuda MODULE ${cuda_sources})
target_link_libraries(linerad_cuda PRIVATE Threads::Threads)
foreach(target ${cuda_targets})
  target_sources(linerad_cuda PRIVATE $<TARGET_OBJECTS:${target}>)
endforeach()

foreach(target ${cuda_targets} linerad_cuda)
  target_link_libraries(${target} PRIVATE linerad_cuda_flags)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${cuda_architectures}" CUDA_STANDARD 17
                        CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_VISIBILITY_PRESET hidden
                        CUDA_RUNTIME_LIBRARY Static CUDA_SEPARABLE_COMPILATION OFF)
endforeach()

# Otherwise templates of the C++ library and the static CUDA runtime would also be exported.
set(cuda_exports ${CMAKE_CURRENT_BINARY_DIR}/cuda_exports.map)
file(CONFIGURE OUTPUT ${cuda_exports} CONTENT "{ global: lr_*; local: *; };\n")
target_link_options(linerad_cuda PRIVATE -Wl,--no-undefined -Wl,--version-script=${cuda_exports})
set_target_properties(linerad_cuda PROPERTIES LINK_DEPENDS ${cuda_exports})
install(TARGETS linerad_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
