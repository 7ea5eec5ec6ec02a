import { completionCall, filesCandidate } from './protocol.ts';

/** For bash 3.2 and later. Bash splits words at `:` and `=` too, so the line is read anew and what stands before is cut off again. */
export const bashScript = `# bash completion for longshore. Add to ~/.bashrc: eval "$(longshore completion bash)"
_longshore() {
  local line=\${COMP_LINE:0:COMP_POINT} word part before value description quoted
  local -a words
  read -r -a words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=\${words[\${#words[@]}-1]}
  part=\${COMP_WORDS[COMP_CWORD]}
  [[ $part == [:=]* ]] && part=
  before=\${word%"$part"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    if [[ $value == ${filesCandidate} ]]; then
      compopt -o default 2>/dev/null
    elif [[ $value == "$word"* ]]; then
      printf -v quoted %q "\${value#"$before"}"
      COMPREPLY+=("$quoted")
    fi
  done < <(${completionCall} "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[.=:/] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _longshore longshore
`;
