import { describe, expect, it } from 'vitest';
import { isHopeless, tellingLine, tellingLines } from './telling-lines.ts';

const cases: readonly (readonly [string, readonly string[], string])[] = [
  [
    'Node, uncaught',
    [
      '/app/index.js:3',
      "  throw new Error('no key');",
      '  ^',
      '',
      'Error: no key',
      '    at Object.<anonymous> (/app/index.js:3:9)',
      '    at node:internal/main:1:1',
      '',
      'Node.js v24.1.0',
    ],
    'Error: no key',
  ],
  [
    'Node, a missing module',
    [
      'node:internal/modules/cjs/loader:1404',
      '  throw err;',
      '  ^',
      '',
      "Error: Cannot find module 'x'",
      'Require stack:',
      '- /app/index.js',
      '    at Function.<anonymous> (node:internal/modules/cjs/loader:1401:15) {',
      "  code: 'MODULE_NOT_FOUND',",
      '}',
      '',
      'Node.js v24.1.0',
    ],
    "Error: Cannot find module 'x'",
  ],
  [
    'Python, an ExceptionGroup',
    [
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "/a.py", line 8, in <module>',
      '  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)',
      '  +-+---------------- 1 ----------------',
      '    | ValueError: database is locked: /srv/app.db',
      '    +------------------------------------',
    ],
    'ValueError: database is locked: /srv/app.db',
  ],
  [
    'Python, chained',
    [
      'KeyError: 1',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "/a.py", line 8, in <module>',
      'app.errors.StartError: no database',
    ],
    'app.errors.StartError: no database',
  ],
  [
    'a reason before a usage text',
    ['Error: API_KEY is required', '', 'Usage: x [options]', '  --a  one', '  --b  two', '  --c  three', '  --d  four'],
    'Error: API_KEY is required',
  ],
  [
    'a complaint without a form',
    ['Starting', 'Please provide SLACK_TOKEN: it is missing', 'bye', 'bye', 'bye', 'bye', 'bye', 'bye'],
    'Please provide SLACK_TOKEN: it is missing',
  ],
  [
    'uv',
    ['  × No solution found when resolving tool dependencies:', '  ╰─▶ Because nothing-such was not found'],
    '× No solution found when resolving tool dependencies:',
  ],
  ['cargo and others', ['info: x', 'error: could not compile', 'note: y'], 'error: could not compile'],
  ['Go', ['panic: no config', '', 'goroutine 1 [running]:', 'main.main()'], 'panic: no config'],
  ['only chatter', ['hello', 'good bye'], 'good bye'],
];

describe('U7, C3, P7: the lines that tell why a program ended', () => {
  it.each(cases)('%s', (_what, lines, telling) => {
    expect(tellingLine(lines)).toBe(telling);
    expect(tellingLines(lines).map(line => line.trim())).toContain(telling);
    expect(tellingLines(lines).length).toBeLessThan(10);
  });

  it('are none where nothing was said', () => {
    expect([tellingLine([]), tellingLines([])]).toEqual([undefined, []]);
    expect(tellingLine(['', '+-----+'])).toBeUndefined();
  });

  it('show where lines were left out', () => {
    expect(tellingLines(['Error: a', '1', '2', '3', '4', '5'])).toEqual(['Error: a', '…', '3', '4', '5']);
  });

  it('are found in time that grows with the text', () => {
    const begun = performance.now();
    for (const unit of ['a.', '| ', '+-', 'Error', 'missing ', '~^']) tellingLines([unit.repeat(50_000)]);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe('U7: what cannot succeed by trying again', () => {
  it.each([
    "Error: Cannot find module 'x'",
    "ModuleNotFoundError: No module named 'x'",
    'error: unrecognized arguments: --x',
    'npm error 404 Not Found - GET https://registry/x',
    '  × No solution found when resolving tool dependencies',
    'GITHUB_TOKEN environment variable is required',
    'Missing API key',
  ])('%s', line => expect(isHopeless([line])).toBe(true));

  it.each(['ConnectionError: could not reach database', 'out of memory', 'EADDRINUSE: port 3000'])('is not: %s', line =>
    expect(isHopeless([line])).toBe(false),
  );
});
