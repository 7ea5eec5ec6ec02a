import { posix, win32 } from 'node:path';

/** Folders of clients inside of a project: the project is the folder around them. */
const clientFolders =
  /^\.(?:vscode|cursor|roo|zed|kiro|amazonq|trae|qoder|junie|gemini|qwen|codex|windsurf|continue|idea|copilot|claude|github)$/i;

/** The folder that a file belongs to: its project's, or its own; `${workspaceFolder}` and `./` mean it. */
export function ownerFolder(path: string, platform: NodeJS.Platform): string {
  const { dirname, basename } = platform === 'win32' ? win32 : posix;
  let folder = dirname(path);
  while (/^(?:settings|mcp|mcpServers)$/i.test(basename(folder)) && clientFolders.test(basename(dirname(folder)))) {
    folder = dirname(folder);
  }
  return clientFolders.test(basename(folder)) ? dirname(folder) : folder;
}
