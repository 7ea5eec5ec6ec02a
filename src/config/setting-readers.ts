import { isAbsolute } from './data-folder.ts';

/** Reads one variable's text; `ok` is false for what is not allowed. */
export type SettingReader<Value> = (
  text: string,
  platform: NodeJS.Platform,
) => { readonly ok: true; readonly value: Value } | { readonly ok: false };

/** Timers take at most 2^31 - 1 ms; what is longer would fire at once. */
const mostSeconds = 2_000_000;

const refused = { ok: false } as const;

function accept<Value>(isAllowed: boolean, value: Value): ReturnType<SettingReader<Value>> {
  return isAllowed ? { ok: true, value } : refused;
}

/** Seconds as a decimal number, given back in milliseconds (R51). */
const seconds: SettingReader<number> = text => {
  const value = /^(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return accept(Number.isFinite(value) && value > 0, Math.max(1, Math.round(Math.min(value, mostSeconds) * 1000)));
};

const port: SettingReader<number> = text => accept(/^\d{1,5}$/.test(text) && Number(text) <= 65_535, Number(text));

const characters: SettingReader<number> = text =>
  accept(/^\d{4,12}$/.test(text) && Number(text) >= 1_000, Number(text));

const hostName: SettingReader<string> = text =>
  accept(/^[A-Za-z0-9._-]+$/.test(text) || /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/.test(text), text);

const absolutePath: SettingReader<string> = (text, platform) => accept(isAbsolute(text, platform), text);

/** The docker CLI takes an empty DOCKER_HOST for none. */
const text: SettingReader<string | undefined> = value => accept(true, value === '' ? undefined : value);

/** R72: non-empty, no digest (the docker CLI refuses it), no whitespace, and nothing that reads as a flag. */
const catalog: SettingReader<string> = value => accept(/^[^\s\uFEFF@-][^\s\uFEFF@]*$/u.test(value), value);

/** An address that nothing can be read into: no user, no query. */
const httpUrl: SettingReader<URL> = value => {
  const url = URL.parse(value);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
  return url !== null && isPlain ? { ok: true, value: url } : refused;
};

function oneOf<const Choice extends string>(choices: readonly Choice[]): SettingReader<Choice> {
  return value => {
    const choice = choices.find(candidate => candidate === value);
    return choice === undefined ? refused : { ok: true, value: choice };
  };
}

/** How each kind of variable is read. */
export const readers = { seconds, port, characters, hostName, absolutePath, text, catalog, httpUrl, oneOf };
