# Turns .sql files into a C++ header: statements/claim.sql becomes the constant `sql::claim`,
# functions/claim.sql `sql::function_claim`, migrations/0001_bus.sql `sql::migration_0001_bus`.
# penstock_embed_sql(target STORE name FILES file.sql…) adds the header <store/NAME/sql.hpp> to the
# target; its namespace is penstock::NAME::detail::sql.
#
# Lines that end in `--@mutant name` are for base::as_mutated.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made from the .sql files by cmake/embed_sql.cmake.\n#pragma once\n\n#include <array>\n\n")
  string(APPEND text "#include \"store/${STORE}/sql_text.hpp\"\n\n")
  string(APPEND text "namespace penstock::${STORE}::detail::sql {\n")
  string(REPLACE "|" ";" files "${FILES}")
  set(function_count 0)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    string(REGEX REPLACE "^[0-9]+" "migration_\\0" name "${name}")
    if(file MATCHES "/functions/[^/]+$")
      set(name "function_${name}")
      math(EXPR function_count "${function_count} + 1")
      string(APPEND functions "    &${name},\n")
    endif()
    file(READ "${file}" body)
    string(APPEND text "inline constexpr SqlText ${name}{\"${name}\", R\"sql(${body})sql\"};\n")
    string(APPEND all "    &${name},\n")
  endforeach()
  string(APPEND text "inline constexpr const SqlText* kAll[] = {\n${all}};\n")
  string(APPEND text "/// Those that setup makes in the database, in order.\n")
  string(APPEND text "inline constexpr std::array<const SqlText*, ${function_count}> kFunctions{\n${functions}};\n}\n")
  file(WRITE "${OUTPUT}" "${text}")
  return()
endif()

set(PENSTOCK_EMBED_SQL_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(penstock_embed_sql target)
  cmake_parse_arguments(arg "" "STORE" "FILES" ${ARGN})
  list(TRANSFORM arg_FILES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  string(REPLACE ";" "|" joined "${files}")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/generated/store/${arg_STORE}/sql.hpp")
  add_custom_command(OUTPUT "${header}" VERBATIM DEPENDS ${files} "${PENSTOCK_EMBED_SQL_SCRIPT}"
    COMMAND "${CMAKE_COMMAND}" "-DSTORE=${arg_STORE}" "-DFILES=${joined}" "-DOUTPUT=${header}"
            -P "${PENSTOCK_EMBED_SQL_SCRIPT}")
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()
