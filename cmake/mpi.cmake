# liblinerad_mpi.so: loaded at run time from the folder of liblinerad.so by the processes of an MPI job. One exported
# entry; a machine without MPI loses only this file.

if(NOT LINERAD_MPI OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR (LINERAD_SANITIZE AND NOT LINERAD_SANITIZE STREQUAL "thread"))
  message(STATUS "MPI: off")
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
if(LINERAD_MPI STREQUAL "AUTO")
  find_package(MPI 3.1 QUIET COMPONENTS C)
else()
  find_package(MPI 3.1 REQUIRED COMPONENTS C)
endif()
if(NOT MPI_C_FOUND)
  message(STATUS "MPI: off, no mpicc with MPI 3.1")
  return()
endif()
message(STATUS "MPI: ${MPI_C_VERSION}, ${MPI_C_LIBRARIES}")

find_package(Threads REQUIRED)
add_library(linerad_mpi MODULE src/parallel/mpi/mpi_communicator.c)
target_include_directories(linerad_mpi PRIVATE src)
target_link_libraries(linerad_mpi PRIVATE linerad_flags MPI::MPI_C Threads::Threads)
if(NOT LINERAD_SANITIZE) # whose functions are in the program
  target_link_options(linerad_mpi PRIVATE -Wl,--no-undefined)
endif()
install(TARGETS linerad_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
