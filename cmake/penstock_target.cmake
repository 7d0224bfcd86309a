# What every target of this project shares: C++20 and warnings. Libraries also get the mutant's name.

add_library(penstock_private_settings INTERFACE)
target_compile_features(penstock_private_settings INTERFACE cxx_std_20)
target_compile_options(penstock_private_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Woverloaded-virtual -Wextra-semi)

# A header and not a compile definition, so that another mutant rebuilds only what asks for it.
configure_file("${CMAKE_CURRENT_LIST_DIR}/mutant_name.hpp.in"
  "${PROJECT_BINARY_DIR}/mutant/mutant_name.hpp" @ONLY)

find_package(Threads REQUIRED)

# penstock_library(name source…): a library of the package, penstock::name.
function(penstock_library name)
  add_library(penstock_${name} ${ARGN})
  add_library(penstock::${name} ALIAS penstock_${name})
  set_target_properties(penstock_${name} PROPERTIES
    EXPORT_NAME ${name} OUTPUT_NAME penstock-${name} POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(penstock_${name} PUBLIC cxx_std_20)
  target_link_libraries(penstock_${name} PRIVATE $<BUILD_INTERFACE:penstock_private_settings>)
  # Not on the tests: a mutant rebuilds the libraries alone.
  target_include_directories(penstock_${name} PRIVATE "${PROJECT_BINARY_DIR}/mutant")
  target_include_directories(penstock_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
