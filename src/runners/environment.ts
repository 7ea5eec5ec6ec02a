import { knownSecrets } from '../secrets/known-secrets.ts';
import { secretsInEntries } from '../secrets/secret-entries.ts';
import { isSecretName } from '../secrets/secret-names.ts';
import { isLauncherSetting } from './launchers.ts';

/** The environment of a process to be started: names and values. */
export type Environment = Readonly<Record<string, string>>;

/** What a server may see of our own environment (R17); everything else stays with us. */
const allowed = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TMPDIR TZ TERM LANG LANGUAGE',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE',
    // Where runtimes, package managers and their caches live.
    'NVM_DIR NVM_BIN FNM_DIR FNM_MULTISHELL_PATH VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR PYENV_ROOT RBENV_ROOT',
    'HOMEBREW_PREFIX BUN_INSTALL DENO_DIR DENO_INSTALL_ROOT CARGO_HOME RUSTUP_HOME GOPATH GOROOT JAVA_HOME DOTNET_ROOT PNPM_HOME',
    'UV_CACHE_DIR UV_PYTHON_INSTALL_DIR UV_TOOL_DIR PIPX_HOME PIPX_BIN_DIR NPM_CONFIG_CACHE NPM_CONFIG_PREFIX NPM_CONFIG_USERCONFIG',
    'XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR',
    // Windows, which breaks in odd places without them.
    'ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 COMPUTERNAME COMSPEC HOMEDRIVE HOMEPATH',
    'LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)',
    'PROGRAMW6432 PUBLIC SYSTEMDRIVE SYSTEMROOT TEMP TMP USERDOMAIN USERNAME USERPROFILE WINDIR',
  ].flatMap(line => line.split(' ')),
);

function isAllowed(name: string, value: string | undefined, platform: NodeJS.Platform): boolean {
  const upper = name.toUpperCase();
  const anyCase = platform === 'win32' || /_PROXY$|^NPM_CONFIG_/.test(upper);
  if (isLauncherSetting(name)) return !holdsCredential(name, value);
  if (name.startsWith('LC_') || (upper.startsWith('DOCKER_') && !isSecretName(name))) return true;
  return allowed.has(anyCase ? upper : name);
}

/** A credential is given to a server only by a reference of its own configuration. */
function holdsCredential(name: string, value = ''): boolean {
  return isSecretName(name) || /\/\/[^/@\s]*@|_(?:auth|password)/i.test(`${name} ${value}`);
}

/** Looks a name up as the platform does: Windows does not care about case. */
export function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32') return env[name];
  const key = Object.keys(env).find(candidate => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}

/**
 * R17: the allow-listed part of our own environment, under what is given after it; later ones win, on Windows whatever
 * the case of the names. NODE_OPTIONS never comes from us, because it is a way to run code in every server.
 */
export function serverEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  ...given: readonly Environment[]
): Environment {
  const env = new Map<string, [name: string, value: string]>();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) env.set(platform === 'win32' ? name.toUpperCase() : name, [name, value]);
  };
  for (const [name, value] of Object.entries(ours)) if (isAllowed(name, value, platform)) set(name, value);
  for (const layer of given) for (const [name, value] of Object.entries(layer)) set(name, value);
  return Object.fromEntries(env.values());
}

/** The way to keep a configured environment's secrets out of texts: see `secretsInEntries`. */
export function hideSecrets(configured: Environment): (text: string) => string {
  const known = knownSecrets();
  known.learn(secretsInEntries(configured));
  return text => known.mask(text);
}
