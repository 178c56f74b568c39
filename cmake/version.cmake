# common/version.h says which program wrote a results file. What it declares is defined in a source
# that each build looks after, since a commit or an edit does not make CMake run again.
find_package(Git QUIET)
set(PTXBATCH_VERSION_SOURCE ${PROJECT_BINARY_DIR}/version.cpp)
add_custom_target(ptxbatch_version
  BYPRODUCTS ${PTXBATCH_VERSION_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DVERSION=${PROJECT_VERSION} -DOUTPUT=${PTXBATCH_VERSION_SOURCE}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  VERBATIM)
