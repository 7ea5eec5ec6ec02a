import { isOn, type RunFlag } from './parse-run.ts';
import { isLoopback, onLoopback, parsePublish } from './publish.ts';

/** The part of a sentence after "it", or `undefined` where this value of the flag weakens nothing. */
type Judge = (value: string, flag: RunFlag) => string | undefined;

/** Capabilities with which a container gets at nothing outside of itself; any other, a new one too, is a risk. */
const weakCapabilities = new Set(
  [
    'AUDIT_WRITE BLOCK_SUSPEND CHOWN DAC_OVERRIDE FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE NET_BIND_SERVICE',
    'NET_BROADCAST NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT SYS_NICE SYS_PACCT SYS_TTY_CONFIG WAKE_ALARM',
  ].flatMap(row => row.split(' ')),
);

/** Flags that limit, name or configure what is inside; the paths in some of them are judged apart. */
const harmless = new Set(
  [
    'add-host annotation arch attach blkio-weight blkio-weight-device cap-drop cidfile cpu-count cpu-percent cpu-period',
    'cpu-quota cpu-shares cpus cpuset-cpus cpuset-mems creds decryption-key detach detach-keys device-read-bps',
    'device-read-iops device-write-bps device-write-iops disable-content-trust dns dns-option dns-search domainname',
    'entrypoint env env-file env-merge expose group-add group-entry health-cmd health-interval health-max-log-count',
    'health-max-log-size health-on-failure health-retries health-start-interval health-start-period health-startup-cmd',
    'health-startup-interval health-startup-retries health-startup-success health-startup-timeout health-timeout help',
    'hostname hosts-file hostuser http-proxy image-volume init interactive io-maxbandwidth io-maxiops ip ip6 kernel-memory',
    'label label-file link-local-ip log-driver log-opt mac-address memory memory-reservation memory-swap memory-swappiness',
    'mount name network-alias no-healthcheck no-hostname no-hosts os passwd passwd-entry personality pids-limit platform',
    'pull quiet read-only read-only-tmpfs requires restart retry retry-delay rm rmi secret shm-size shm-size-systemd',
    'sig-proxy stop-signal stop-timeout storage-opt sysctl systemd timeout tmpfs tty tz ulimit umask unsetenv',
    'unsetenv-all user variant volume workdir',
  ].flatMap(row => row.split(' ').map(name => `--${name}`)),
);

const always =
  (why: string): Judge =>
  () =>
    why;
const ifOn =
  (why: string): Judge =>
  (_, flag) =>
    isOn(flag) ? why : undefined;
const unless =
  (fine: RegExp, why: string): Judge =>
  value =>
    fine.test(value) ? undefined : why;

const ownNamespace = /^(|private)$/i;
const idMap = always('can be another user of this machine than it says');
const writesHere = always('has files written on this machine');

const judges: Readonly<Record<string, Judge>> = {
  '--privileged': ifOn('can do everything root can do on this machine'),
  '--network': value => (sharesNetwork(value) ? networkWhy(value) : undefined),
  '--pid': unless(ownNamespace, 'sees and can signal processes outside of it'),
  '--ipc': unless(/^(|none|private|shareable)$/i, 'shares memory with processes outside of it'),
  '--uts': unless(ownNamespace, 'can rename this machine or another container'),
  '--userns': unless(/^(|private|auto\b.*|nomap|keep-id\b.*)$/i, 'is root on this machine where it is root inside'),
  '--cgroupns': unless(ownNamespace, 'sees the control groups of this machine'),
  '--cgroup-parent': always('counts against other limits than its own'),
  '--cgroups': unless(/^(enabled|split)$/i, 'has no limits on what it uses'),
  '--cgroup-conf': always('sets its own limits'),
  '--cap-add': value =>
    weakCapabilities.has(value.toUpperCase().replace(/^CAP_/, ''))
      ? undefined
      : `gets the capability ${value.toUpperCase()}`,
  '--security-opt': value =>
    keepsProtection(value) ? undefined : 'loses a protection that containers have by default',
  '--seccomp-policy': unless(/^default$/i, 'loses a protection that containers have by default'),
  '--device': always('gets at a device of this machine'),
  '--device-cgroup-rule': always('gets at a device of this machine'),
  '--gpus': always('gets at a device of this machine'),
  '--rdt-class': always('counts against other limits than its own'),
  '--runtime': always('is isolated by another runtime, in whatever way that one does it'),
  '--isolation': unless(/^(|default|hyperv)$/i, 'shares the kernel of this machine'),
  '--use-api-socket': ifOn('controls the Docker engine, and with it this machine'),
  '--volumes-from': always('gets every folder that another container has'),
  '--volume-driver': unless(/^(|local)$/i, 'gets volumes from a plugin, which may be anything of this machine'),
  '--link': always('gets the settings of another container'),
  '--publish-all': ifOn('offers every port of the image to the network'),
  '--publish': value =>
    isLoopback(onLoopback(parsePublish(value))) ? undefined : 'can be reached from other machines',
  '--oom-kill-disable': ifOn('can use up the memory of this machine'),
  '--oom-score-adj': unless(/^\d+$/, 'outlives other processes of this machine when memory runs out'),
  '--cpu-rt-period': always('can keep other processes of this machine from running'),
  '--cpu-rt-runtime': always('can keep other processes of this machine from running'),
  '--env-host': ifOn('gets your whole environment, secrets included'),
  '--replace': ifOn('has another container of that name removed'),
  '--rootfs': ifOn('runs on a folder of this machine'),
  '--tls-verify': (_, flag) => (isOn(flag) ? undefined : 'comes from a registry whose identity nobody checks'),
  '--authfile': always('is fetched with the sign-ins of a file of this machine'),
  '--cert-dir': always('is fetched with certificates of this machine'),
  '--chrootdirs': always('gets folders that the engine makes in other places'),
  '--init-ctr': always('runs as a part of a group of containers'),
  '--init-path': always('is started by a program of this machine'),
  '--conmon-pidfile': writesHere,
  '--health-log-destination': unless(/^(local|events_logger)$/i, 'has files written on this machine'),
  '--pidfile': writesHere,
  '--pod': always('shares the network and memory of a group of containers'),
  '--pod-id-file': always('shares the network and memory of a group of containers'),
  '--preserve-fd': always('gets open files of Longshore'),
  '--preserve-fds': always('gets open files of Longshore'),
  '--sdnotify': unless(/^(|ignore|conmon)$/i, "speaks to this machine's service manager"),
  '--uidmap': idMap,
  '--gidmap': idMap,
  '--subuidname': idMap,
  '--subgidname': idMap,
};

/** What a flag lets a server do, to be read after "it"; a flag that is not known is a risk, whatever its value. */
export function flagRisk(flag: RunFlag): string | undefined {
  if (harmless.has(flag.name)) return undefined;
  const judge = judges[flag.name];
  return judge === undefined ? 'runs with a flag that Longshore does not know' : judge(flag.value ?? '', flag);
}

/** `host`, another's, or a namespace by its path; docker's long form is `name=host,alias=…`. */
function sharesNetwork(value: string): boolean {
  return value
    .split(',')
    .map(field => field.trim().replace(/^name=/i, ''))
    .some(field => /^(host|container:.*|ns:.*)$/i.test(field));
}

function networkWhy(value: string): string {
  return /container:/i.test(value)
    ? 'uses the network of another container, its loopback services included'
    : 'uses the network of this machine, its loopback services included';
}

/** Only what is known to take nothing away. */
function keepsProtection(value: string): boolean {
  return /^(no-new-privileges([=:](true|1|t))?|seccomp[=:]builtin|apparmor[=:]docker-default|label[=:]level[=:].*|mask[=:].*)$/i.test(
    value.replaceAll(' ', ''),
  );
}
