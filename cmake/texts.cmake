# Writes the manual page, the completions and the schema of the command BRISTLE to the folder OUT.
file(MAKE_DIRECTORY ${OUT})
function(write file)
  execute_process(COMMAND ${BRISTLE} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
write(bristle.1 help --man)
write(bristle.bash completion bash)
write(_bristle completion zsh)
write(bristle.schema.json schema)
