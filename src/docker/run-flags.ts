/** Whether a flag stands alone (`--rm`, `--rm=false`) or takes a value (`--env A=b`, `--env=A=b`). */
export type FlagShape = 'switch' | 'value';

/** One program's flags: full names and what their one-letter and old spellings stand for. */
export interface FlagTable {
  readonly shapes: ReadonlyMap<string, FlagShape>;
  /** `-e` → `--env`, `--net` → `--network`. */
  readonly aliases: ReadonlyMap<string, string>;
}

const runSwitches = [
  'detach disable-content-trust help init interactive no-healthcheck oom-kill-disable privileged publish-all quiet',
  'read-only rm sig-proxy tty use-api-socket',
];

const runValues = [
  'add-host annotation attach blkio-weight blkio-weight-device cap-add cap-drop cgroup-parent cgroupns cidfile',
  'cpu-count cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems',
  'detach-keys device device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns',
  'dns-option dns-search domainname entrypoint env env-file expose gpus group-add health-cmd health-interval',
  'health-retries health-start-interval health-start-period health-timeout hostname io-maxbandwidth io-maxiops ip ip6',
  'ipc isolation kernel-memory label label-file link link-local-ip log-driver log-opt mac-address memory',
  'memory-reservation memory-swap memory-swappiness mount name network network-alias oom-score-adj pid pids-limit',
  'platform publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit',
  'user userns uts volume volume-driver volumes-from workdir',
];

const podmanSwitches = [
  'env-host http-proxy no-hostname no-hosts passwd read-only-tmpfs replace rmi rootfs tls-verify unsetenv-all',
];

const podmanValues = [
  'arch authfile cert-dir cgroup-conf cgroups chrootdirs conmon-pidfile creds decryption-key env-merge gidmap',
  'group-entry health-log-destination health-max-log-count health-max-log-size health-on-failure health-startup-cmd',
  'health-startup-interval health-startup-retries health-startup-success health-startup-timeout hosts-file hostuser',
  'image-volume init-ctr init-path os passwd-entry personality pidfile pod pod-id-file preserve-fd preserve-fds',
  'rdt-class requires retry retry-delay sdnotify seccomp-policy secret shm-size-systemd subgidname subuidname systemd',
  'timeout tz uidmap umask unsetenv variant',
];

const runAliases = [
  'a:attach c:cpu-shares d:detach e:env h:hostname i:interactive l:label m:memory P:publish-all p:publish q:quiet t:tty',
  'u:user v:volume w:workdir dns-opt:dns-option net:network net-alias:network-alias',
];

const globalSwitches = ['debug tls tlsverify version'];
const globalValues = ['config context host log-level tlscacert tlscert tlskey'];
const globalAliases = ['D:debug v:version c:context H:host l:log-level'];

const podmanGlobalSwitches = ['help noout remote syslog transient-store version'];
const podmanGlobalValues = [
  'cdi-spec-dir cgroup-manager conmon config connection context events-backend hooks-dir host identity imagestore',
  'log-level module network-cmd-path network-config-dir out root runroot runtime runtime-flag ssh storage-driver',
  'storage-opt tls-ca tls-cert tls-key tmpdir url volumepath',
];
const podmanGlobalAliases = ['c:connection H:host r:remote v:version h:help'];

/** Every flag of `docker run` (and of `podman run`, which has these and more). */
export function runFlagTable(engine: 'docker' | 'podman'): FlagTable {
  return engine === 'docker'
    ? table(runSwitches, runValues, runAliases)
    : table([...runSwitches, ...podmanSwitches], [...runValues, ...podmanValues], runAliases);
}

/** Every flag that stands before the command: `docker --context x run …`. */
export function globalFlagTable(engine: 'docker' | 'podman'): FlagTable {
  return engine === 'docker'
    ? table(globalSwitches, globalValues, globalAliases)
    : table(podmanGlobalSwitches, podmanGlobalValues, podmanGlobalAliases);
}

function table(switches: readonly string[], values: readonly string[], aliases: readonly string[]): FlagTable {
  const dashed = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);
  const words = (rows: readonly string[]) => rows.flatMap(row => row.split(' '));
  return {
    shapes: new Map<string, FlagShape>([
      ...words(switches).map(name => [dashed(name), 'switch'] as const),
      ...words(values).map(name => [dashed(name), 'value'] as const),
    ]),
    aliases: new Map(
      words(aliases).map(pair => {
        const [alias = '', name = ''] = pair.split(':');
        return [dashed(alias), dashed(name)] as const;
      }),
    ),
  };
}
