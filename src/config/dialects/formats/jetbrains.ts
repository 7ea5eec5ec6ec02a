import type { Dialect } from '../types.ts';

/** JetBrains AI Assistant: what its settings page copies out, kept beside a project. */
export const jetbrains: Dialect = {
  name: 'jetbrains',
  title: 'JetBrains AI Assistant',
  tails: ['.idea/mcp.json', '.ai/mcp/mcp.json', 'jetbrains/mcp.json', 'github-copilot/intellij/mcp.json'],
  roots: [['mcpServers'], ['servers']],
};
