# cmake -DINPUT=file -DOUTPUT=file.cpp -DNAMESPACE=a::b -DFUNCTION=name -P embed_text.cmake
# Writes a C++ file with a function that gives the text of INPUT.
file(READ "${INPUT}" text)
string(FIND "${text}" ")embedded\"" closing)
if(NOT closing EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the delimiter of the literal it is to be embedded in")
endif()
file(WRITE "${OUTPUT}" "#include <string_view>

namespace ${NAMESPACE} {
std::string_view ${FUNCTION}() noexcept {
  static constexpr char kText[] = R\"embedded(")
file(APPEND "${OUTPUT}" "${text}")
file(APPEND "${OUTPUT}" ")embedded\";
  return {kText, sizeof kText - 1};
}
}  // namespace ${NAMESPACE}
")
