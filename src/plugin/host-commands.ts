import type { Command } from '../commands/command.ts';
import { quoteWord } from '../commands/grammar.ts';
import type { OperatorContext } from '../commands/operator-context.ts';
import { runLine } from '../commands/run-line.ts';
import { verbs } from '../commands/verbs.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log } from '../core/ports/log.ts';
import type { HostCommand } from './agent-host.ts';

/** The verbs as an agent host takes them. `context` is asked for at each use, and may throw why there is none yet. */
export function hostCommands(context: () => OperatorContext, log: Log): readonly HostCommand[] {
  return verbs.map(verb => {
    const run = (line: string, signal = new AbortController().signal) =>
      runLine([verb], line, lazily(context), log, signal);
    return {
      name: verb.name,
      tool: verb.tool,
      summary: verb.summary,
      inputSchema: schemaOf(verb),
      run,
      execute: (args, signal) => run(lineOf(verb, args), signal),
    };
  });
}

function schemaOf({ parameters }: Command<OperatorContext>): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(name => [name, { type: 'string' }])),
    required: [...parameters],
    additionalProperties: false,
  };
}

/** Arguments in the place of a typed line: what is missing or too much is told as it would be there. */
function lineOf({ name, parameters }: Command<OperatorContext>, args: JsonObject): string {
  const known = parameters.flatMap(parameter => {
    const value = args[parameter];
    return typeof value === 'string' ? [quoteWord(value)] : [];
  });
  const others = Object.keys(args).filter(given => !parameters.includes(given));
  return [name, ...known, ...others.map(given => `--${given}`)].join(' ');
}

/** Looked up inside the command, so that whatever is wrong with it becomes its result. */
function lazily(context: () => OperatorContext): OperatorContext {
  return {
    load: async (wish, signal) => await context().load(wish, signal),
    unload: async ref => await context().unload(ref),
    servers: async () => await context().servers(),
    engine: async () => await context().engine(),
    get gateway() {
      return context().gateway;
    },
    get catalogs() {
      return context().catalogs;
    },
    record: async (action, subject) => {
      await context().record(action, subject);
    },
  };
}
