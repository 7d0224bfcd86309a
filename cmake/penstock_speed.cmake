# Uses ccache and mold where this machine has them; neither is needed, nor passed on to users.

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(PENSTOCK_CCACHE ccache)
  if(PENSTOCK_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PENSTOCK_CCACHE}")
  endif()
endif()

find_program(PENSTOCK_MOLD mold)
if(PENSTOCK_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
