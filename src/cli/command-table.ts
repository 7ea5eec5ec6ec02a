import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from './program.ts';

/** One command before its file is loaded: enough for the list in `--help` and for "did you mean". */
export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly hidden?: true;
  /** Loads the command's own file, which gives it its arguments, options and action. */
  load(): Promise<(command: Command, context: CommandContext) => void>;
}

/** Every command, in the order of `--help`. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'try',
    summary: 'start one server, list its tools or call one, and stop it',
    load: async () => (await import('./commands/try.ts')).tryCommand,
  },
  {
    name: 'serve',
    summary: 'run the service in the foreground',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'stop',
    summary: 'stop the service and every server',
    load: async () => (await import('./commands/stop.ts')).stopCommand,
  },
  {
    name: 'status',
    summary: 'say whether the service runs, and where',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong on this machine, and say how to mend it',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'add',
    summary: 'save a server',
    load: async () => (await import('./commands/add.ts')).addCommand,
  },
  {
    name: 'remove',
    summary: 'stop a saved server and forget it',
    load: async () => (await import('./commands/remove.ts')).removeCommand,
  },
  {
    name: 'enable',
    summary: 'let a saved server be started again',
    load: async () => (await import('./commands/enable.ts')).enableCommand,
  },
  {
    name: 'disable',
    summary: 'stop a saved server, and start it no more',
    load: async () => (await import('./commands/disable.ts')).disableCommand,
  },
  {
    name: 'import',
    summary: "save the servers of another client's configuration",
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'connect',
    summary: "write Longshore into a client's own configuration",
    load: async () => (await import('./commands/connect.ts')).connectCommand,
  },
  {
    name: 'disconnect',
    summary: 'take it out again',
    load: async () => (await import('./commands/disconnect.ts')).disconnectCommand,
  },
  {
    name: 'load',
    summary: 'start a server: a saved name or an image',
    load: async () => (await import('./commands/load.ts')).loadCommand,
  },
  {
    name: 'reload',
    summary: 'stop a server and start it anew',
    load: async () => (await import('./commands/reload.ts')).reloadCommand,
  },
  {
    name: 'unload',
    summary: 'stop a server and forget that it was loaded',
    load: async () => (await import('./commands/unload.ts')).unloadCommand,
  },
  {
    name: 'restart',
    summary: 'start a server that failed, or ended too often, once more',
    load: async () => (await import('./commands/restart.ts')).restartCommand,
  },
  {
    name: 'list',
    alias: 'ls',
    summary: 'list the servers and how they are',
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  {
    name: 'logs',
    summary: 'show what a server wrote to stderr',
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    name: 'explain',
    summary: 'show what would be started, with its isolation and risks; starts nothing',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'search',
    summary: 'search the catalogs for servers to load',
    load: async () => (await import('./commands/search.ts')).searchCommand,
  },
  {
    name: 'catalog',
    summary: 'list the servers of the catalogs',
    load: async () => (await import('./commands/catalog.ts')).catalogCommand,
  },
  {
    name: 'gateway',
    summary: 'start, stop and see the Docker MCP Gateway',
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand,
  },
  {
    name: 'tools',
    summary: 'list the tools',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  {
    name: 'call',
    summary: 'call a tool',
    load: async () => (await import('./commands/call.ts')).callCommand,
  },
  {
    name: 'approvals',
    summary: 'list the calls that wait for a decision',
    load: async () => (await import('./commands/approvals.ts')).approvalsCommand,
  },
  {
    name: 'approve',
    summary: 'let a waiting call run',
    load: async () => (await import('./commands/approve.ts')).approveCommand,
  },
  {
    name: 'reject',
    summary: 'refuse a waiting call',
    load: async () => (await import('./commands/reject.ts')).rejectCommand,
  },
  {
    name: 'rules',
    summary: 'list the standing rules, or remove one',
    load: async () => (await import('./commands/rules.ts')).rulesCommand,
  },
  {
    name: 'allow',
    summary: 'let calls run that fit a pattern',
    load: async () => (await import('./commands/put-rule.ts')).ruleCommand('allow'),
  },
  {
    name: 'ask',
    summary: 'ask about calls that fit a pattern',
    load: async () => (await import('./commands/put-rule.ts')).ruleCommand('ask'),
  },
  {
    name: 'always-ask',
    summary: 'ask about calls that fit a pattern, whatever else is allowed',
    load: async () => (await import('./commands/put-rule.ts')).ruleCommand('always-ask'),
  },
  {
    name: 'deny',
    summary: 'refuse calls that fit a pattern',
    load: async () => (await import('./commands/put-rule.ts')).ruleCommand('deny'),
  },
  {
    name: 'why',
    summary: 'say which rule decides about a call, and which one it beats',
    load: async () => (await import('./commands/why.ts')).whyCommand,
  },
  {
    name: 'audit',
    summary: 'show, check or export the record',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    name: 'agent',
    summary: 'agents: add, ls',
    load: async () => (await import('./commands/agent.ts')).agentCommand,
  },
  {
    name: 'token',
    summary: 'tokens of clients: create, set, ls, revoke',
    load: async () => (await import('./commands/token.ts')).tokenCommand,
  },
  {
    name: 'mcp',
    summary: 'the MCP endpoint over stdio, for clients that only start commands',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  {
    name: 'secret',
    summary: 'secrets of servers: set, ls, rm',
    load: async () => (await import('./commands/secret.ts')).secretCommand,
  },
  {
    name: 'console',
    summary: 'type !mcp- commands at a prompt',
    load: async () => (await import('./commands/console.ts')).consoleCommand,
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    name: '__complete',
    summary: 'what a completion script asks',
    hidden: true,
    load: async () => (await import('./commands/complete.ts')).completeCommand,
  },
];

/** The command of a name or alias; undefined for none. */
export function commandEntry(name: string | undefined): CommandEntry | undefined {
  if (name === undefined) return undefined;
  return commandTable.find(entry => entry.name === name || entry.alias === name);
}
