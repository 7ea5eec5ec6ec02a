import type { Dialect } from '../types.ts';

/** fast-agent and mcp-agent. */
export const fastAgent: Dialect = {
  name: 'fast-agent',
  title: 'fast-agent',
  tails: ['fastagent.config.yaml', 'mcp_agent.config.yaml', 'fastagent.config.yml', 'mcp_agent.config.yml'],
  roots: [['mcp', 'servers']],
};
