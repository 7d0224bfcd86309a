# Turns .sql files into a C++ header: statements/claim.sql becomes the constant `sql::claim`.
# penstock_embed_sql(target file.sql…) adds the header <store/sqlite/sql.hpp> to the target.
#
# Lines that end in `--@mutant name` are for base::as_mutated.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made from the .sql files by cmake/embed_sql.cmake.\n#pragma once\n\n")
  string(APPEND text "#include \"store/sqlite/sql_text.hpp\"\n\nnamespace penstock::sqlite::detail::sql {\n")
  string(REPLACE "|" ";" files "${FILES}")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    string(REGEX REPLACE "^[0-9]+" "migration_\\0" name "${name}")
    file(READ "${file}" body)
    string(APPEND text "inline constexpr SqlText ${name}{\"${name}\", R\"sql(${body})sql\"};\n")
    string(APPEND all "    &${name},\n")
  endforeach()
  string(APPEND text "inline constexpr const SqlText* kAll[] = {\n${all}};\n}\n")
  file(WRITE "${OUTPUT}" "${text}")
  return()
endif()

set(PENSTOCK_EMBED_SQL_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(penstock_embed_sql target)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  string(REPLACE ";" "|" joined "${files}")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/generated/store/sqlite/sql.hpp")
  add_custom_command(OUTPUT "${header}" VERBATIM DEPENDS ${files} "${PENSTOCK_EMBED_SQL_SCRIPT}"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${joined}" "-DOUTPUT=${header}"
            -P "${PENSTOCK_EMBED_SQL_SCRIPT}")
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()
