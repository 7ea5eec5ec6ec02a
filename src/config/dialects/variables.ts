import type { Dialect, Warn } from './types.ts';

/** What the variables of one entry came to. */
export interface Variables {
  /** The text with its variables in our own form; `field` is where it stands. */
  rewrite(text: string, field: string): string;
  /** Questions that the entry asks, by id. */
  readonly inputs: ReadonlySet<string>;
  /** True once something would have to be run to know a value. */
  readonly runsCommand: () => boolean;
}

/** What `${…}` may hold that is ours already, or a place that is settled later. */
const own = /^(?:env:|secret:|input:|workspaceFolder(?:Basename)?$|userHome$|pathSeparator$|\/$)/;
const variable = /^([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?$/;

/** Rewrites one entry's texts as its client reads them. Nothing is looked up, and nothing is run. */
export function variablesOf(dialect: Dialect, warn: Warn): Variables {
  const inputs = new Set<string>();
  let isRunning = false;

  const braced = (whole: string, inside: string, field: string): string => {
    if (/^cmd:/.test(inside)) {
      isRunning = true;
      warn('command-substitution', field);
      return whole;
    }
    const [, id] = /^input:(.+)$/.exec(inside) ?? [];
    if (id !== undefined) inputs.add(id);
    if (own.test(inside)) return whole;
    const [, name, fallback = ''] = variable.exec(inside) ?? [];
    if (name === undefined) return whole;
    if (dialect.expandsNothing) warn('variable-not-expanded-by-source', field);
    return `\${env:${name}${fallback}}`;
  };

  return {
    inputs,
    runsCommand: () => isRunning,
    rewrite(text, field) {
      let result = text;
      if (dialect.secretTemplates) {
        result = result.replaceAll(
          /\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}/g,
          (_, id: string) => `\${input:${id}}`,
        );
      }
      if (dialect.runsCommands && /\$\([^)]*\)/.test(result)) {
        isRunning = true;
        warn('command-substitution', field);
      }
      result = result.replaceAll(/\$\{([^{}]*)\}/g, (whole, inside: string) => braced(whole, inside, field));
      if (dialect.bracedEnv) result = result.replaceAll(/(?<!\$)\{env:([A-Za-z_]\w*)\}/g, '${env:$1}');
      if (dialect.dollarNames === 'anywhere') result = result.replaceAll(/\$([A-Za-z_]\w*)/g, '${env:$1}');
      if (dialect.dollarNames === 'argument') result = result.replace(/^\$([A-Za-z_]\w*)$/, '${env:$1}');
      // A URL's own escapes look alike.
      if (!field.startsWith('endpoint')) result = result.replaceAll(/%([A-Z_][A-Z0-9_]{2,})%/g, '${env:$1}');
      if (/\{\{[^{}]+\}\}/.test(result)) warn('template-variable', field);
      if (/^(?:command|cwd|envFile|args)/.test(field) && /^~[\\/]/.test(result)) {
        warn('tilde-expanded', field);
        result = `\${userHome}/${result.slice(2)}`;
      }
      return result;
    },
  };
}
