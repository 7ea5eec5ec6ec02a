import { completionCall, filesCandidate } from './protocol.ts';

/** For fish 3. It quotes what it inserts, and adds no space after . = : / by itself. */
export const fishScript = `# fish completion for longshore. Run once: longshore completion fish > ~/.config/fish/completions/longshore.fish
function __longshore_complete
    set -l typed (commandline -ct)
    set -l given (commandline -opc)
    for line in (${completionCall} $given[2..-1] "$typed" 2>/dev/null)
        if test "$line" = ${filesCandidate}
            __fish_complete_path "$typed"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c longshore -f -a '(__longshore_complete)'
`;
