// The version of the library. CMake reads it from here.
#pragma once

namespace penstock {

inline constexpr char kVersion[] = "0.2.0";

}  // namespace penstock
