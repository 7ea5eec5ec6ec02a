import { LongshoreError } from '../../core/errors.ts';
import { type HandleKind, handleKinds } from '../../core/words.ts';
import { type Condition, type Literal, type Operator, operators } from './argument-condition.ts';
import { type Glob, glob } from './glob.ts';
import { type Token, tokens } from './rule-tokens.ts';

/** Which handles a rule is about: a whole handle name, or a server's key and the name that the server itself uses. */
export type Target =
  | { readonly by: 'handle-name'; readonly handleName: Glob }
  | { readonly by: 'server-and-tool'; readonly server: Glob; readonly tool: Glob };

/** A rule's text, understood. */
export interface RulePattern {
  /** `undefined`: everything alike; `resource` includes templates. */
  readonly kind: HandleKind | undefined;
  readonly target: Target;
  readonly caller: Glob | undefined;
  readonly agent: Glob | undefined;
  /** All must hold. */
  readonly conditions: readonly Condition[];
}

/** What was understood of a text, and where understanding ended. */
export type Parsed =
  | { readonly pattern: RulePattern }
  | {
      readonly problem: string;
      /** Characters before the place that was not understood. */
      readonly position: number;
      /** What of the rule's reach was understood before that; nothing: it may be about everything. */
      readonly target: Target | undefined;
      readonly kind: HandleKind | undefined;
    };

/**
 * Reads the way people write rules: `[tool | resource | template | prompt] TARGET [by CALLER] [for AGENT] [when CONDITION [and …]]`,
 * e.g. `filesystem.write_file when path startsWith /srv/ and size <= 1000`, `github.*`, `*.delete_*`. Never throws.
 */
export function parsePattern(text: string): Parsed {
  const reader = new Reader(text);
  let kind: HandleKind | undefined;
  let target: Target | undefined;
  try {
    kind = reader.kind();
    target = reader.target();
    const caller = reader.named('by', 'a caller: operator, library or client:NAME');
    const agent = reader.named('for', 'an agent: did:…');
    const conditions = reader.conditions();
    reader.end(conditions.length > 0 ? ['and'] : ['by CALLER', 'for AGENT', 'when CONDITION']);
    return { pattern: { kind, target, caller, agent, conditions } };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message, position: error.position, target, kind };
    throw error;
  }
}

/** One text for all spellings that differ only in white space; what tells one rule from another. */
export function canonicalPattern(text: string): string {
  return tokens(text)
    .map(token => (token.quoted ? JSON.stringify(token.text) : token.text))
    .join(' ');
}

/** `parsePattern` for a rule that a person has just written. Throws `usage` with the position and what is allowed there. */
export function readPattern(text: string): RulePattern {
  const parsed = parsePattern(text);
  if ('pattern' in parsed) return parsed.pattern;
  throw new LongshoreError(
    'usage',
    `The rule ${JSON.stringify(text)} cannot be read at character ${parsed.position + 1}: ${parsed.problem}.`,
    { data: { pattern: text, position: parsed.position } },
  );
}

class Unreadable extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #length: number;
  #at = 0;

  constructor(text: string) {
    this.#length = text.length;
    this.#tokens = tokens(text);
  }

  kind(): HandleKind | undefined {
    const word = this.#peek();
    if (word?.quoted !== false || !isKind(word.text) || this.#tokens.length === 1) return undefined;
    this.#at += 1;
    return word.text;
  }

  target(): Target {
    const token = this.#next('a target such as github.*, *.delete_* or a handle name');
    const dot = token.text.indexOf('.');
    if (dot < 0) {
      // In quotes it is a handle's name whatever it looks like: those of servers with plain names have no server in them.
      if (token.quoted || token.text === '*' || token.text.includes('__'))
        return { by: 'handle-name', handleName: glob(token.text) };
      throw new Unreadable(
        `${JSON.stringify(token.text)} is neither SERVER.TOOL nor a handle name; for a whole server write ${token.text}.*`,
        token.position,
      );
    }
    const server = token.text.slice(0, dot);
    const tool = token.text.slice(dot + 1);
    if (!/^[A-Za-z0-9_*-]+$/.test(server)) {
      throw new Unreadable('a server is written with A-Z a-z 0-9 _ - and * for anything', token.position);
    }
    if (tool === '') throw new Unreadable('a tool name or * must follow the dot', token.position + dot + 1);
    return { by: 'server-and-tool', server: glob(server), tool: glob(tool) };
  }

  named(word: 'by' | 'for', what: string): Glob | undefined {
    if (!this.#take(word)) return undefined;
    const token = this.#next(what);
    const known = word === 'by' ? /^(?:operator|library|\*|client:.+)$/ : /^(?:did:.+|\*)$/;
    if (!known.test(token.text)) throw new Unreadable(`after ${word} stands ${what}`, token.position);
    return glob(token.text);
  }

  conditions(): Condition[] {
    if (!this.#take('when')) return [];
    const conditions = [this.#condition()];
    while (this.#take('and')) conditions.push(this.#condition());
    return conditions;
  }

  end(allowed: readonly string[]): void {
    const token = this.#peek();
    if (token) throw new Unreadable(`here may stand only ${allowed.join(', ')} or the end`, token.position);
  }

  #condition(): Condition {
    const name = this.#next('the name of an argument');
    const path = name.quoted ? [name.text] : name.text.split('.');
    if (path.includes('')) throw new Unreadable('an argument is named like path or options.path', name.position);
    const negated = this.#take('not');
    const word = this.#next(`one of ${operators.join(' ')}`);
    const operator = operators.find(known => known === word.text);
    if (word.quoted || operator === undefined) {
      throw new Unreadable(`a comparison is one of ${operators.join(' ')}, or not before it`, word.position);
    }
    const literals = operator === 'in' ? this.#list() : [this.#literal(operator)];
    return { path, negated, operator, literals };
  }

  #literal(operator: Operator): Literal {
    const token = this.#next('a value; put one with spaces in double quotes');
    const value = literalOf(token);
    if (/^[<>]/.test(operator) && value.number === undefined) {
      throw new Unreadable(`${operator} compares with a number`, token.position);
    }
    return value;
  }

  #list(): Literal[] {
    const open = this.#next('a list such as [main, "my branch"]');
    if (open.text !== '[' || open.quoted)
      throw new Unreadable('in is followed by a list such as [main, dev]', open.position);
    const literals: Literal[] = [];
    for (;;) {
      const token = this.#next('a value or ]');
      if (token.text === ']' && !token.quoted) return literals;
      if (token.text !== ',' || token.quoted) literals.push(literalOf(token));
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #take(word: string): boolean {
    const token = this.#peek();
    if (token?.text !== word || token.quoted) return false;
    this.#at += 1;
    return true;
  }

  #next(wanted: string): Token {
    const token = this.#peek();
    if (token === undefined) throw new Unreadable(`${wanted} is missing`, this.#length);
    if (token.unclosed) throw new Unreadable('a text in quotes has no closing quote', token.position);
    this.#at += 1;
    return token;
  }
}

function isKind(text: string): text is HandleKind {
  return handleKinds.some(kind => kind === text);
}

function literalOf({ text, quoted }: Token): Literal {
  const isNumber = !quoted && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return { text, number: isNumber ? Number(text) : undefined };
}
