# find_c_library(PREFIX HEADER LIBRARY NAMES...): the target PkgConfig::PREFIX, from the first of the NAMES that pkg-config
# knows. HDF5 and UDUNITS-2 often come without a file for pkg-config (conda, modules of clusters): then by their header
# and library, in the usual places and below CMAKE_PREFIX_PATH.

find_package(PkgConfig REQUIRED)

function(find_c_library prefix header library)
  pkg_search_module(${prefix} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
  if(TARGET PkgConfig::${prefix})
    message(STATUS "Found ${library}: pkg-config ${${prefix}_MODULE_NAME} ${${prefix}_VERSION}")
    return()
  endif()
  find_path(${prefix}_HEADERS ${header})
  find_library(${prefix}_LIBRARY ${library})
  mark_as_advanced(${prefix}_HEADERS ${prefix}_LIBRARY)
  if(NOT ${prefix}_HEADERS OR NOT ${prefix}_LIBRARY)
    list(JOIN ARGN " or " names)
    message(FATAL_ERROR "${library} was not found: neither by pkg-config (${names}) nor as ${header} and lib${library}. "
                        "tools/install-deps installs it on Debian and Ubuntu; if it is in a folder of its own, set "
                        "-DCMAKE_PREFIX_PATH=FOLDER")
  endif()
  message(STATUS "Found ${library}: ${${prefix}_LIBRARY}")
  add_library(PkgConfig::${prefix} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(PkgConfig::${prefix} PROPERTIES IMPORTED_LOCATION ${${prefix}_LIBRARY}
                                                        INTERFACE_INCLUDE_DIRECTORIES ${${prefix}_HEADERS})
endfunction()
