import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completionScript, completionShells } from './completion-script.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'longshore-completion-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** A `longshore` on the PATH that records how it was asked and answers with these lines. */
function fakeLongshore(...answers: readonly string[]): NodeJS.ProcessEnv {
  writeFileSync(join(folder, 'answers'), answers.map(line => `${line}\n`).join(''));
  const script = `#!/bin/sh\nfor word in "$@"; do printf '<%s>' "$word"; done > '${folder}/asked'\ncat '${folder}/answers'\necho noise >&2\n`;
  writeFileSync(join(folder, 'longshore'), script);
  chmodSync(join(folder, 'longshore'), 0o755);
  return { ...process.env, PATH: `${folder}:${process.env['PATH']}`, HOME: folder };
}

const asked = () => readFileSync(join(folder, 'asked'), 'utf8');

/** What bash would put into the line when tab is pressed at its end. */
function pressTabInBash(line: string, ...answers: readonly string[]): string[] {
  // Bash itself splits at these, each run of : and = being a word of its own.
  const words = line.match(/[:=]+|[^\s:=]+|\s+$/g)?.map(word => word.trim()) ?? [];
  writeFileSync(join(folder, 'script'), completionScript('bash'));
  const drive = `
    source "$SCRIPT"
    COMP_LINE=$LINE COMP_POINT=\${#LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _longshore
    for reply in "\${COMPREPLY[@]}"; do printf '%s\\0' "$reply"; done`;
  const env = { ...fakeLongshore(...answers), SCRIPT: join(folder, 'script'), LINE: line };
  const out = execFileSync('bash', ['--norc', '-c', drive, 'bash', ...words], { env, encoding: 'utf8' });
  return out.split('\0').slice(0, -1);
}

describe('the bash completion', () => {
  it('asks within its budget, with the words so far, and offers what fits', () => {
    expect(pressTabInBash('longshore lo', 'load\tstart a server', 'logs', 'list')).toEqual(['load', 'logs']);
    expect(asked()).toBe('<__complete><--within><200><--><lo>');
  });

  it('asks for a new word after a space', () => {
    expect(pressTabInBash('longshore  unload ', 'notes', 'time')).toEqual(['notes', 'time']);
    expect(asked()).toBe('<__complete><--within><200><--><unload><>');
  });

  it.each([
    ['longshore load mcp/time:la', ['mcp/time:latest'], ['latest']],
    ['longshore load mcp/time:', ['mcp/time:latest', 'mcp/time:1'], ['latest', '1']],
    ['longshore call everything.echo mess', ['message='], ['message=']],
    ['longshore call everything.echo unit=', ['unit=metric', 'unit=imperial'], ['metric', 'imperial']],
    ['longshore call everything.echo unit=me', ['unit=metric'], ['metric']],
    ['longshore call every', ['everything.'], ['everything.']],
  ])('takes words apart as bash does: %s', (line, answers, offered) => {
    expect(pressTabInBash(line, ...answers)).toEqual(offered);
  });

  it('quotes what a server has named so that it would run if it were typed', () => {
    const [offered] = pressTabInBash('longshore call x.y ', '$(touch HERE)`touch HERE`;touch HERE');
    const env = { PATH: process.env['PATH'], OFFERED: offered };
    const said = execFileSync('bash', ['--norc', '-c', 'eval "printf %s $OFFERED"'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(said).toBe('$(touch HERE)`touch HERE`;touch HERE');
  });

  it('offers nothing, silently, without an answer', () => {
    expect(pressTabInBash('longshore x')).toEqual([]);
  });
});

describe.runIf(isThere('fish'))('the fish completion (where there is fish)', () => {
  function pressTab(line: string, ...answers: readonly string[]): string {
    writeFileSync(join(folder, 'script.fish'), completionScript('fish'));
    const env = { ...fakeLongshore(...answers), LINE: line, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    const drive = `source ${folder}/script.fish; complete -C "$LINE"`;
    return execFileSync('fish', ['--no-config', '-c', drive], { env, encoding: 'utf8' });
  }

  it('asks within its budget, with the words so far, and offers what fits with its description', () => {
    expect(pressTab('longshore unload no', 'notes\tasleep', 'time')).toBe('notes\tasleep\n');
    expect(asked()).toBe('<__complete><--within><200><--><unload><no>');
    pressTab('longshore call x.y ', 'message=');
    expect(asked()).toBe('<__complete><--within><200><--><call><x.y><>');
  });

  it('offers files where it is told to', () => {
    writeFileSync(join(folder, 'servers.json'), '');
    expect(pressTab(`longshore import ${folder}/ser`, ':files')).toContain('servers.json');
  });
});

describe.runIf(isThere('zsh'))('the zsh completion (where there is zsh)', () => {
  it('asks within its budget and inserts, quoted, what it is given', () => {
    // A person's shell on a terminal of its own, with a key that writes down what stands in the line.
    const rc = `
      autoload -Uz compinit; compinit -u -D
      source ${folder}/script.zsh
      write-down() { print -rn -- "$BUFFER" > ${folder}/line; BUFFER=; }
      zle -N write-down; bindkey '^X' write-down
      PROMPT='READY>'`;
    const drive = `
      zmodload zsh/zpty
      zpty shell zsh -d -i
      repeat 100; do zpty -r -t shell out && seen+=$out; [[ $seen == *'READY>'* ]] && break; sleep 0.05; done
      zpty -w -n shell $'longshore call x.y od\\t\\C-x'
      repeat 100; do [[ -s ${folder}/line ]] && break; sleep 0.05; done`;
    writeFileSync(join(folder, 'script.zsh'), completionScript('zsh'));
    writeFileSync(join(folder, '.zshrc'), rc);
    const env = { ...fakeLongshore('od$(d) x\tan odd one', 'other'), ZDOTDIR: folder, TERM: 'dumb' };
    execFileSync('zsh', ['-f', '-c', drive], { env });
    expect(readFileSync(join(folder, 'line'), 'utf8').trimEnd()).toBe('longshore call x.y od\\$\\(d\\)\\ x');
    expect(asked()).toBe('<__complete><--within><200><--><call><x.y><od>');
  });
});

describe('a completion script', () => {
  it.each(completionShells)('for %s says how to install it and names nothing but the program', shell => {
    const script = completionScript(shell);
    expect(script).toContain(`longshore completion ${shell}`);
    expect(script).toContain('longshore __complete --within 200 --');
  });

  it('for another shell is refused with those there are', () => {
    expect(() => completionScript('tcsh')).toThrow('bash, zsh, fish');
  });
});
