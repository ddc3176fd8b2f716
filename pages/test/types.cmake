# The types of the sources, checked beside the libraries that they use: cmake -DNODE=... -P types.cmake
file(COPY_FILE ${SOURCE}/tsconfig.json ${BINARY}/tsconfig.json ONLY_IF_DIFFERENT)
file(REMOVE ${BINARY}/src)
file(CREATE_LINK ${SOURCE}/src ${BINARY}/src SYMBOLIC)
execute_process(COMMAND ${NODE} ${BINARY}/node_modules/typescript/bin/tsc -p ${BINARY} --preserveSymlinks
                COMMAND_ERROR_IS_FATAL ANY)
