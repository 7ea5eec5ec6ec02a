/** Docker flags of which the next word is the value, as people write them in client files. */
const takesValue = new Set(
  (
    '-e --env --env-file -v --volume --mount -w --workdir --network --net --name -p --publish -u --user --entrypoint ' +
    '--add-host --pull --platform -m --memory --cpus --pids-limit --label -l --hostname -h --ip --dns --restart --gpus ' +
    '--cap-add --cap-drop --security-opt --device --tmpfs --ulimit --shm-size --log-driver --log-opt -f --file ' +
    '--project-name --profile --project-directory --index --runtime --ipc --pid --userns --stop-timeout --stop-signal ' +
    '-H --host --context -c --config --log-level --cidfile --volumes-from --group-add --expose --link'
  ).split(' '),
);

/** What is odd about a server that is started by docker, podman or nerdctl; nothing for any other. */
export function dockerWarnings(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): readonly { readonly code: string; readonly field?: string }[] {
  const program = baseName(command);
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(program)) return [];
  const { verbs, flags } = read(args);
  const [first = '', second = ''] = verbs;
  if (first === 'mcp' && second === 'gateway') return [{ code: 'docker-mcp-gateway' }];
  const isCompose = program === 'docker-compose' || first === 'compose';
  const verb = program === 'docker-compose' ? first : isCompose || first === 'container' ? second : first;
  if (verb !== 'run' && verb !== 'exec') return [];
  const has = (...names: string[]) => flags.some(({ name, value }) => names.includes(name) && value !== 'false');
  const values = (...names: string[]) =>
    flags.flatMap(({ name, value }) => (names.includes(name) && value ? [value] : []));
  const found: { readonly code: string; readonly field?: string }[] = [];
  const note = (code: string, isThere: boolean) => void (isThere && found.push({ code }));
  note('docker-exec', verb === 'exec');
  // Compose keeps the input open by itself.
  note('docker-not-interactive', !isCompose && !has('-i', '--interactive'));
  note('docker-tty', has('-t', '--tty') && !isCompose);
  note('docker-detached', has('-d', '--detach'));
  note('docker-privileged', has('--privileged'));
  note('docker-host-network', values('--network', '--net').includes('host'));
  note(
    'docker-socket',
    values('-v', '--volume', '--mount').some(mount => /docker\.sock|docker_engine|podman\.sock/.test(mount)),
  );
  const forwarded = new Set(values('-e', '--env').map(pair => pair.split('=', 1)[0]));
  for (const name of Object.keys(env)) {
    if (!forwarded.has(name)) found.push({ code: 'docker-env-not-forwarded', field: `env.${name}` });
  }
  return found;
}

/** A program's name without its folder and `.exe`, lower-case. */
export function baseName(command: string): string {
  return (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
}

interface Flag {
  readonly name: string;
  readonly value?: string;
}

/** The words before the image or container, flags apart; a flag that is not known is a switch. */
function read(args: readonly string[]): { readonly verbs: readonly string[]; readonly flags: readonly Flag[] } {
  const verbs: string[] = [];
  const flags: Flag[] = [];
  let hasVerb = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      if (equals > 0) flags.push({ name: word.slice(0, equals), value: word.slice(equals + 1) });
      else if (takesValue.has(word)) flags.push({ name: word, value: args[(at += 1)] ?? '' });
      else flags.push({ name: word });
    } else if (word.startsWith('-') && word.length > 1) {
      const letter = word
        .slice(1)
        .split('')
        .findIndex(one => takesValue.has(`-${one}`));
      const switches = letter === -1 ? word.slice(1) : word.slice(1, letter + 1);
      flags.push(...switches.split('').map(one => ({ name: `-${one}` })));
      if (letter !== -1) {
        const rest = word.slice(letter + 2).replace(/^=/, '');
        flags.push({ name: `-${word[letter + 1]}`, value: rest === '' ? (args[(at += 1)] ?? '') : rest });
      }
    } else {
      verbs.push(word);
      if (hasVerb) break;
      hasVerb = word === 'run' || word === 'exec';
    }
  }
  return { verbs, flags };
}
