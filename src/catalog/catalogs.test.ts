import { describe, expect, it } from 'vitest';
import { catalogEntry, catalogsOf, sourceOf } from '../../test/fixtures/catalogs.ts';
import { unreadable } from './read-docker-catalog.ts';

const options = { signal: new AbortController().signal };
const day = 24 * 60 * 60 * 1000;

describe('the catalogs', () => {
  it('R73, R75: nothing is read before it is asked for, and readers at the same time share one reading', async () => {
    const given = { next: [catalogEntry('a')], reads: 0 };
    const catalogs = catalogsOf([sourceOf('docker', given)]);
    expect(given.reads).toBe(0);
    await Promise.all([catalogs.list(options), catalogs.search('a', 5, options), catalogs.entry('a', options)]);
    expect(given.reads).toBe(1);
  });

  it('are read again after a day, and on refresh; what was read before is used where that fails, and said', async () => {
    let now = 0;
    const given: { next: readonly ReturnType<typeof catalogEntry>[] | Error; reads: number } = {
      next: [catalogEntry('a')],
      reads: 0,
    };
    const catalogs = catalogsOf([sourceOf('docker', given)], () => now);
    await catalogs.list(options);
    now = day - 1;
    await catalogs.list(options);
    expect(given.reads).toBe(1);
    now = day;
    given.next = unreadable('docker', 'it is away');
    const { catalogs: states, entries } = await catalogs.list(options);
    expect([given.reads, entries.map(({ name }) => name), states[0]?.readAt]).toEqual([2, ['a'], 0]);
    expect(states[0]?.error?.message).toContain('it is away');
    expect(await catalogs.entry('a', options)).toMatchObject({ name: 'a' });
    given.next = [catalogEntry('b')];
    expect((await catalogs.refresh(options)).entries.map(({ name }) => name)).toEqual(['b']);
  });

  it('R74: a name that none has is an error while one cannot be read, and unknown once all can be', async () => {
    const given: { next: readonly ReturnType<typeof catalogEntry>[] | Error } = { next: new Error('no such host') };
    const catalogs = catalogsOf([
      sourceOf('files', { next: [] }),
      sourceOf('docker', given),
      sourceOf('own', { next: [catalogEntry('b', { catalog: 'own' })] }),
    ]);
    await expect(catalogs.entry('a', options)).rejects.toMatchObject({ code: 'catalog-unreadable' });
    // One that comes before might have it: nothing is guessed.
    await expect(catalogs.entry('b', options)).rejects.toMatchObject({
      code: 'catalog-unreadable',
      message: expect.stringContaining('own has one of that name'),
    });
    given.next = [];
    expect(await catalogs.entry('a', options)).toBeUndefined();
    expect(await catalogs.entry('b', options)).toMatchObject({ name: 'b' });
  });

  it('tell what goes on while one is read, to whoever asked and to whoever watches', async () => {
    const lines: string[] = [];
    const source = {
      ...sourceOf('docker', { next: [] }),
      read: ({ onProgress }: { onProgress?: (line: string) => void }) => {
        onProgress?.('Pulling …');
        return Promise.resolve({ title: undefined, entries: [], unnamed: 0 });
      },
    };
    const catalogs = catalogsOf([source], Date.now, (catalog, line) => lines.push(`${catalog}: ${line}`));
    await catalogs.list({ ...options, onProgress: line => lines.push(line) });
    expect(lines).toEqual(['Pulling …', 'docker: Pulling …']);
  });

  it('of two entries of one name give the first catalog’s', async () => {
    const own = catalogEntry('a', { catalog: 'own' });
    const catalogs = catalogsOf([sourceOf('own', { next: [own] }), sourceOf('docker', { next: [catalogEntry('a')] })]);
    expect((await catalogs.list(options)).entries).toEqual([own]);
    expect((await catalogs.search('a', 5, options)).entries).toEqual([own]);
    expect((await catalogs.list(options)).catalogs.map(({ definitions }) => definitions)).toEqual([1, 1]);
  });

  it('R34: find by words of everything, begun or misspelt, names first', async () => {
    const entries = [
      catalogEntry('github', { title: 'GitHub', tools: ['create_issue', 'list_pull_requests'], category: 'devops' }),
      catalogEntry('gitlab', { description: 'Like github, elsewhere.' }),
      catalogEntry('weather', { tags: ['meteorology'] }),
      ...Array.from({ length: 500 }, (_, at) => catalogEntry(`server${at}`)),
    ];
    const catalogs = catalogsOf([sourceOf('docker', { next: entries })]);
    const names = async (query: string) => (await catalogs.search(query, 3, options)).entries.map(({ name }) => name);
    expect((await names('github'))[0]).toBe('github');
    expect((await names('githb'))[0]).toBe('github');
    expect(await names('pull requests')).toEqual(['github']);
    expect(await names('meteorolgy')).toEqual(['weather']);
    expect(await names('DEVOPS')).toEqual(['github']);
    expect(await names('server499')).toContain('server499');
    expect(await names('eathe')).toEqual(['weather']);
    expect(await names('zzzz')).toEqual([]);
  });
});
