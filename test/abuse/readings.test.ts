import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionHolds } from '../../src/governance/rules/argument-condition.ts';
import { readPattern } from '../../src/governance/rules/rule-pattern.ts';
import { fullEffort } from '../../src/governance/rules/text-comparison.ts';

/** Where a client or server ends up: host and path; undefined where it refuses the text. */
interface Leads {
  readonly host: string;
  readonly path: string;
}

const python = `
import json, posixpath, sys
from urllib.parse import urlsplit, unquote
def leads(text):
    try:
        url = urlsplit(text)
        path = posixpath.normpath('/' + unquote(url.path))
        return {'host': (url.hostname or '').rstrip('.'), 'path': '/' + path.lstrip('/')}
    except ValueError:
        return None
json.dump([leads(text) for text in json.load(sys.stdin)], sys.stdout)
`;

const go = `
package main
import ("encoding/json"; "net/url"; "os"; "path"; "strings")
type leads struct { Host string \`json:"host"\`; Path string \`json:"path"\` }
func main() {
  var texts []string
  json.NewDecoder(os.Stdin).Decode(&texts)
  found := make([]*leads, len(texts))
  for i, text := range texts {
    parsed, err := url.Parse(text)
    if err == nil { found[i] = &leads{strings.TrimSuffix(strings.ToLower(parsed.Hostname()), "."), path.Clean("/" + parsed.Path)} }
  }
  json.NewEncoder(os.Stdout).Encode(found)
}
`;

function node(text: string): Leads | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  try {
    return { host: url.hostname.replace(/\.$/, ''), path: posix.normalize(`/${decodeURIComponent(url.pathname)}`) };
  } catch {
    return undefined;
  }
}

/** What another language makes of the texts; nothing where it is not installed. */
async function asked(
  command: string,
  args: readonly string[],
  texts: readonly string[],
): Promise<readonly (Leads | null)[]> {
  return await new Promise((resolve, reject) => {
    const child = execFile(command, args, { maxBuffer: 64 << 20 }, (error, stdout) => {
      if (error && 'code' in error && error.code === 'ENOENT') resolve([]);
      else if (error) reject(error);
      else resolve(JSON.parse(stdout) as (Leads | null)[]);
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(texts));
  });
}

function truth(condition: string, value: string) {
  const [read] = readPattern(`a.b when ${condition}`).conditions;
  if (read === undefined) throw new Error('there is a condition');
  return conditionHolds(read, { at: value }, fullEffort());
}

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'longshore-readings-')));
  for (const folder of ['pub/deep', 'secret']) mkdirSync(join(home, folder), { recursive: true });
  for (const file of ['pub/deep/x', 'pub/x', 'secret/x']) writeFileSync(join(home, file), '');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('rules about places, against who opens them', () => {
  it('S5: no path that a real file system opens in a denied folder is clearly outside, none elsewhere clearly inside an allowed one', () => {
    const part = fc.constantFrom('.', '..', '', 'pub', 'deep', 'secret', 'x', '../secret', './', 'pub/..');
    const decoders: readonly ((text: string) => string)[] = [
      text => text,
      text => decodeURIComponent(text),
      text => decodeURIComponent(decodeURIComponent(text)),
      text => text.replaceAll('\\', '/'),
    ];
    const spelled = fc.array(fc.tuple(part, fc.constantFrom('/', '//', '/./', '\\', '%2f', '%252F')), { maxLength: 7 });
    const writing = fc.constantFrom<(text: string) => string>(
      text => text,
      text => text.replaceAll('s', '%73'),
      text => text.replaceAll('.', '%2e'),
      text => text.replaceAll('%', '%25'),
    );
    fc.assert(
      fc.property(spelled, writing, (parts, write) => {
        const value = `${home}/${write(parts.map(pair => pair.join('')).join(''))}`;
        const isInSecret = truth(`at startsWith ${home}/secret/`, value);
        const isInPub = truth(`at startsWith ${home}/pub/`, value);
        const wrong: string[] = [];
        for (const decode of decoders) {
          const opened = existing(decode(value));
          if (opened === undefined) continue;
          if (isBelow(opened, 'secret') && isInSecret === 'no') wrong.push(`${value} passes a deny`);
          if (!isBelow(opened, 'pub') && isInPub === 'yes') wrong.push(`${value} is allowed`);
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  const schemes = ['https://', 'HTTPS://', 'https:', 'https:/', 'https:///', 'https:\\\\', '\thttps://', 'ht\ntps://'];
  const users = ['', 'a@', 'a:b@', '@', 'good.com@', 'good.com\\@', 'good.com:443@', '%61@'];
  const hosts = [
    'evil.com',
    'EVIL.com',
    'evil.com.',
    'evil。com',
    'ｅvil.com',
    'ev\til.com',
    '%65vil.com',
    'good.com',
    'good.com.',
    'sub.evil.com',
  ];
  const ports = ['', ':443', ':', ':0443'];
  const paths = [
    '',
    '/',
    '/x',
    '/secret/x',
    '//secret/x',
    '/./secret/x',
    '/pub/../secret/x',
    '/%73ecret/x',
    '/pub/%2e%2e/secret/x',
    '/pub%2f../secret/x',
    '\\secret\\x',
    '/pub?/../secret/',
    '/données/x',
    '/donn%C3%A9es/x',
    '#@evil.com/',
    '?@evil.com/',
  ];
  const addresses = schemes.flatMap(scheme =>
    users.flatMap(user =>
      hosts.flatMap(host => ports.map((port, index) => [scheme + user + host + port, index] as const)),
    ),
  );
  const urls = addresses.flatMap(([address, index]) =>
    paths.filter((_, at) => at % 4 === index % 4).map(path => address + path),
  );

  it('S12: no address that node, Python or Go takes for a denied host or path is clearly another, none is clearly an allowed one that leads elsewhere', async () => {
    const file = join(home, 'leads.go');
    writeFileSync(file, go);
    const [fromPython, fromGo] = await Promise.all([
      asked('python3', ['-c', python], urls),
      asked('go', ['run', file], urls),
    ]);
    const wrong: string[] = [];
    for (const [index, url] of urls.entries()) {
      const found = [node(url), fromPython[index], fromGo[index]].filter(one => one !== undefined && one !== null);
      const isEvil = truth('at startsWith https://evil.com/', url);
      const isGood = truth('at startsWith https://good.com/', url);
      const isSecret = truth('at startsWith https://evil.com/secret/', url);
      const isAccented = truth('at startsWith https://evil.com/données/', url);
      for (const { host, path } of found) {
        const plainHost = host.normalize('NFKC').toLowerCase();
        if (plainHost === 'evil.com' && isEvil === 'no') wrong.push(`${url} passes a deny of evil.com`);
        if (plainHost !== 'good.com' && plainHost !== '' && isGood === 'yes')
          wrong.push(`${url} is allowed as good.com`);
        if (plainHost !== 'evil.com') continue;
        if (path.startsWith('/secret/') && isSecret === 'no') wrong.push(`${url} passes a deny of /secret/`);
        if (path.startsWith('/données/') && isAccented === 'no') wrong.push(`${url} passes a deny of /données/`);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(truth('at startsWith https://good.com/', 'https://good.com/v1/things?q=a%20b#top')).toBe('yes');
    expect(truth('at startsWith https://evil.com/', 'https://good.com/v1/things?q=a%20b#top')).toBe('no');
  }, 120_000);

  it.each([
    [
      'http://127.0.0.1/',
      [
        '2130706433',
        '0x7f.1',
        '0177.0.0.1',
        '127.1',
        '[::ffff:127.0.0.1]',
        'localhost',
        '127.0.0.1.',
        '0.0.0.0',
        '[::1]',
      ],
    ],
    ['http://10.1.2.3/', ['167838211', '0xa.1.2.3', '10.66051', '[::ffff:a01:203]', '１0.1.2.3']],
    [
      'https://münchen.example/',
      ['xn--mnchen-3ya.example', 'MÜNCHEN.example', 'mu\u0308nchen.example', 'münchen。example'],
    ],
  ])('S12: a deny of %s holds for every other way to write that host', (denied, spellings) => {
    const scheme = denied.split('/')[0] ?? '';
    for (const host of spellings) {
      expect([host, truth(`at startsWith ${denied}`, `${scheme}//${host}/x`)]).not.toEqual([host, 'no']);
      expect([host, truth(`at = ${denied.split('/')[2] ?? ''}`, host)]).not.toEqual([host, 'no']);
    }
  });

  it('an address or path as people write it is clear', () => {
    for (const [condition, value, expected] of [
      ['at startsWith https://api.example.com/', 'https://api.example.com/v1/x.json?y=1&z=%20', 'yes'],
      ['at startsWith https://api.example.com', 'https://other.example.com/', 'no'],
      ['at startsWith http://localhost:3000/', 'http://localhost:3000/x', 'yes'],
      ['at startsWith /srv/', '/srv/a-b/c_d/e.txt', 'yes'],
      ['at startsWith /srv/', '/home/me/My Documents/é.txt', 'no'],
      ['at startsWith C:\\srv\\', 'C:\\srv\\a b.txt', 'yes'],
      ['at endsWith .md', 'docs/read.md', 'yes'],
      ['at = main', 'feature/x', 'no'],
      ['at contains rm', 'ls -la /tmp; rm x', 'yes'],
      ['at = evil.com', 'good.com', 'no'],
    ] as const) {
      expect([condition, value, truth(condition, value)]).toEqual([condition, value, expected]);
    }
  });
});

function existing(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === join(home, folder) || path.startsWith(`${join(home, folder)}/`);
}
