import { expect, it } from 'vitest';
import { readForeignFile } from './read-foreign-file.ts';

const npx = { command: 'npx', args: ['-y', '@acme/notes-mcp@1'] };
const config = Buffer.from(JSON.stringify(npx)).toString('base64');
const link = encodeURIComponent(JSON.stringify({ name: 'notes', ...npx }));

it.each<[string, object]>([
  ['npx -y @acme/notes-mcp@1', { name: 'notes-mcp', ...npx }],
  ['$ A_MODE=x npx -y @acme/notes-mcp@1\n', { name: 'notes-mcp', ...npx, env: { A_MODE: 'x' } }],
  [
    'docker run -i --rm \\\n  -e "MODE=a b" \\\n  ghcr.io/acme/notes:2',
    { name: 'notes', command: 'docker', args: ['run', '-i', '--rm', '-e', 'MODE=a b', 'ghcr.io/acme/notes:2'] },
  ],
  ['"mcpServers": {"notes": {"command": "npx", "args": ["-y", "@acme/notes-mcp@1"]}}', { name: 'notes', ...npx }],
  ['"notes": {"command": "npx", "args": ["-y", "@acme/notes-mcp@1"]},', { name: 'notes', ...npx }],
  ['{"notes": {"command": "npx", "args": ["-y", "@acme/notes-mcp@1"]}}', { name: 'notes', ...npx }],
  ['claude mcp add notes -s user -e MODE=x -- npx -y @acme/notes-mcp@1', { name: 'notes', ...npx, env: { MODE: 'x' } }],
  [
    'claude mcp add --transport http notes https://h.example/mcp --header "X-Org: acme"',
    { name: 'notes', transport: 'streamable-http', endpoint: 'https://h.example/mcp', headers: { 'X-Org': 'acme' } },
  ],
  [`claude mcp add-json notes '${JSON.stringify(npx)}'`, { name: 'notes', ...npx }],
  [`code --add-mcp '${JSON.stringify({ name: 'notes', ...npx })}'`, { name: 'notes', ...npx }],
  [`cursor://anysphere.cursor-deeplink/mcp/install?name=notes&config=${config}`, { name: 'notes', ...npx }],
  [`vscode:mcp/install?${link}`, { name: 'notes', ...npx }],
])('R21: takes what READMEs have: %s', (text, server) => {
  const { servers } = readForeignFile({ text });
  expect(servers).toHaveLength(1);
  expect(servers[0]).toMatchObject(server);
});
