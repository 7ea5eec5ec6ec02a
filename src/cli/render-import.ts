import type { ImportedFileServer, ImportedFileView } from '../client/api-types.ts';

const words = { add: 'added', update: 'updated', same: 'unchanged', skip: 'skipped' } as const;

/** One line for each server and what became of it, its odd points below it; what many have is told once, at the end. */
export function importText(files: readonly ImportedFileView[], dryRun: boolean): string {
  const lines = files.flatMap(file => fileLines(file, dryRun));
  const dropped = files.flatMap(({ servers }) => servers).filter(server => server.warnings.some(isConsent));
  const consent =
    dropped.length === 0
      ? []
      : [
          `note: tools that ${dropped.length === 1 ? 'one server' : `${dropped.length} servers`} could use unasked in another client (${dropped.map(({ name }) => name).join(', ')}) are asked about here; see: longshore rules`,
        ];
  return [...lines, ...consent].join('\n');
}

const isConsent = ({ code }: { readonly code: string }): boolean => code === 'approval-dropped';

function fileLines({ path, dialect, servers, warnings, error }: ImportedFileView, dryRun: boolean): readonly string[] {
  const title = path === null ? [] : [`${path} (${dialect ?? 'not read'})`];
  if (error) return [...title, `  ${error.message}`];
  if (servers.length === 0) return [...title, '  There are no servers in it.'];
  return [
    ...title,
    ...warnings.map(({ message, field }) => `  note: ${field === undefined ? '' : `${field}: `}${message}`),
    ...servers.flatMap(server => serverLines(server, dryRun)),
  ];
}

function serverLines({ name, action, enabled, warnings }: ImportedFileServer, dryRun: boolean): readonly string[] {
  const would = dryRun && (action === 'add' || action === 'update') ? 'would be ' : '';
  const off = !enabled && action !== 'skip' ? ', turned off' : '';
  return [
    `  ${would}${words[action].padEnd(9)} ${name}${off}`,
    ...warnings
      .filter(warning => !isConsent(warning))
      .map(({ field, message }) => `      ${field === undefined ? '' : `${field}: `}${message}`),
  ];
}
