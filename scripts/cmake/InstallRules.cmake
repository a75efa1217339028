# SPDX-FileCopyrightText: 2026 nccl-sweep authors
# SPDX-License-Identifier: Apache-2.0
# cmake --install BUILD --prefix PREFIX gives a working tree: the two executables next to each
# other, and the data where data_folder() looks for it (bin/../share/nccl-sweep).

include(GNUInstallDirs)
set(data ${CMAKE_INSTALL_DATADIR}/nccl-sweep)

foreach(program nccl-sweep nccl-sweep-worker)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

install(DIRECTORY sweeps/ DESTINATION ${data} FILES_MATCHING PATTERN "*.json")
install(DIRECTORY results/baselines/ DESTINATION ${data}/baselines
        FILES_MATCHING PATTERN "*.json")
foreach(page README.md LICENSE bench/README.md results/README.md)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${page})
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  endif()
endforeach()
