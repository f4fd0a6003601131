# What `cmake --install` (make install) puts where: library, headers, command, and the files by which other builds find
# the library, pkg-config's linerad.pc and CMake's linerad-config.cmake. Nothing installed names the folder it is in, so
# that an installation can be moved; DESTDIR works as usual. In a Python package the same goes into the package's folder.

install(TARGETS linerad EXPORT linerad LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/linerad.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS linerad_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

if(LINERAD_CARRY_UNITS) # the library looks there first
  find_path(UDUNITS_XML_DIR udunits2.xml HINTS ${UDUNITS_PREFIX} PATH_SUFFIXES share/xml/udunits share/udunits REQUIRED)
  file(GLOB units_database ${UDUNITS_XML_DIR}/udunits2*.xml)
  install(FILES ${units_database} DESTINATION ${CMAKE_INSTALL_LIBDIR}/udunits)
endif()

if(SKBUILD) # the Python package binds both headers, and is found by import
  install(FILES include/linerad_tools.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  return()
endif()

include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/linerad)
install(EXPORT linerad FILE linerad-config.cmake NAMESPACE linerad:: DESTINATION ${cmake_folder})
# before 1.0 a minor version may change the interface
write_basic_package_version_file(linerad-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/linerad-config-version.cmake DESTINATION ${cmake_folder})

set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH to_prefix /prefix/${pkgconfig_folder} /prefix)
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}") # ../.. or ../../..
configure_file(cmake/linerad.pc.in linerad.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/linerad.pc DESTINATION ${pkgconfig_folder})
