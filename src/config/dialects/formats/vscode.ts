import type { Dialect } from '../types.ts';

/** VS Code: its own files of a user, a profile or a workspace, and its settings. */
export const vscode: Dialect = {
  name: 'vscode',
  title: 'VS Code',
  tails: [
    '.vscode/mcp.json',
    'code/user/mcp.json',
    'insiders/user/mcp.json',
    'vscodium/user/mcp.json',
    'user/profiles/*/mcp.json',
    '.vscode/settings.json',
    'user/settings.json',
    'user/profiles/*/settings.json',
    '.code-workspace',
  ],
  roots: [['servers'], ['mcp', 'servers'], ['mcp.servers'], ['settings', 'mcp', 'servers']],
};
