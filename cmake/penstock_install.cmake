# The installed package `penstock`: a component per library (core, sqlite, …, penstock), public headers,
# a pkg-config file, the program. A component asks only for what it needs itself.

include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/penstock")

# The public headers of each component. A header that is missing here is not installed, so a check
# below refuses to configure.
set(penstock_core_headers
  admin.hpp bus.hpp bus_store.hpp clock.hpp dispatcher.hpp error.hpp event.hpp handler.hpp ids.hpp
  job.hpp limits.hpp log.hpp pages.hpp queue.hpp queue_store.hpp store.hpp stores/memory.hpp transaction.hpp version.hpp work_source.hpp)
set(penstock_sqlite_headers stores/sqlite.hpp)
set(penstock_postgres_headers stores/postgres.hpp stores/pqxx.hpp)
set(penstock_penstock_headers penstock.hpp)

file(GLOB_RECURSE found_headers RELATIVE "${PROJECT_SOURCE_DIR}/include/penstock" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/include/penstock/*.hpp")
list(REMOVE_ITEM found_headers
  ${penstock_core_headers} ${penstock_sqlite_headers} ${penstock_postgres_headers}
  ${penstock_penstock_headers})
if(found_headers)
  message(FATAL_ERROR "add to a component in cmake/penstock_install.cmake: ${found_headers}")
endif()

set(components "")
foreach(component IN ITEMS core sqlite postgres penstock)
  set(target penstock_${component})
  if(NOT TARGET ${target})
    continue()
  endif()
  list(APPEND components ${component})

  list(TRANSFORM penstock_${component}_headers PREPEND "${PROJECT_SOURCE_DIR}/include/penstock/"
    OUTPUT_VARIABLE headers)
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  # The shared libraries find each other wherever the tree is installed.
  set_target_properties(${target} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON INSTALL_RPATH "\$ORIGIN")

  install(TARGETS ${target} EXPORT penstock-${component}-targets FILE_SET HEADERS
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT penstock-${component}-targets NAMESPACE penstock:: DESTINATION "${package_folder}")
endforeach()

if(TARGET penstock)  # The program.
  file(RELATIVE_PATH to_libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(penstock PROPERTIES INSTALL_RPATH "\$ORIGIN/${to_libraries}")
  install(TARGETS penstock RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/penstock-config.cmake.in" penstock-config.cmake @ONLY)
write_basic_package_version_file(penstock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/penstock-config.cmake" "${PROJECT_BINARY_DIR}/penstock-config-version.cmake"
  DESTINATION "${package_folder}")
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Static libraries need what they were built on at the user's link; shared ones carry it.
set(pc_libraries "")
foreach(component IN ITEMS penstock postgres sqlite core)
  if(component IN_LIST components)
    get_target_property(library penstock_${component} OUTPUT_NAME)
    string(APPEND pc_libraries " -l${library}")
  endif()
endforeach()
set(pc_packages "libcrypto")
if("sqlite" IN_LIST components)
  string(APPEND pc_packages ", sqlite3")
endif()
if("postgres" IN_LIST components)
  string(APPEND pc_packages ", libpq")
endif()
set(pc_requires "Requires")
if(BUILD_SHARED_LIBS)
  set(pc_requires "Requires.private")
endif()
# From lib/<arch>/pkgconfig up to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH PC_UP "/prefix/${CMAKE_INSTALL_LIBDIR}" "/prefix")
configure_file("${CMAKE_CURRENT_LIST_DIR}/penstock.pc.in" penstock.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/penstock.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
