import { completionCall, filesCandidate } from './protocol.ts';

/** For zsh 5; works from a file in fpath too. compadd quotes what it inserts. */
export const zshScript = `#compdef longshore
# zsh completion for longshore. Add to ~/.zshrc, after compinit: eval "$(longshore completion zsh)"
_longshore() {
  local -a given values shown open openShown
  local value description files
  given=("\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  while IFS=$'\\t' read -r value description; do
    if [[ $value == ${filesCandidate} ]]; then
      files=1
    elif [[ $value == *[.=:/] ]]; then
      open+=("$value")
      openShown+=("$value\${description:+ -- $description}")
    else
      values+=("$value")
      shown+=("$value\${description:+ -- $description}")
    fi
  done < <(${completionCall} "\${given[@]}" 2>/dev/null)
  (( $#values )) && compadd -l -d shown -a values
  (( $#open )) && compadd -S '' -l -d openShown -a open
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _longshore ]]; then _longshore "$@"; else compdef _longshore longshore; fi
`;
