# What every target of this project shares: C++20 and warnings.

add_library(penstock_private_settings INTERFACE)
target_compile_features(penstock_private_settings INTERFACE cxx_std_20)
target_compile_options(penstock_private_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Woverloaded-virtual -Wextra-semi)

if(PENSTOCK_MUTANTS)
  target_compile_definitions(penstock_private_settings INTERFACE PENSTOCK_MUTANTS)
endif()

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
  target_include_directories(penstock_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
