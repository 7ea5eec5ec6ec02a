import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvFile, withEnvFile } from './env-file.ts';

describe('an env file', () => {
  it('has variables as people write them', () => {
    const text = `\uFEFF# a comment\r\nA=1\r\nexport B = two words \nC="x\\ny # no comment" # one\nD='$A'\nE=\nnonsense\n=F\nG=h#i # j`;
    expect(readEnvFile(text)).toEqual({ A: '1', B: 'two words', C: 'x\ny # no comment', D: '$A', E: '', G: 'h#i' });
  });

  it('is read at the start, below what is set for the server itself, and one that is missing is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longshore-env-'));
    try {
      const envFile = join(folder, '.env');
      writeFileSync(envFile, 'A=file\nB=file\n');
      const config = { name: 'notes', command: 'x', env: { A: 'own' }, envFile };
      expect(await withEnvFile({ config, fromSecrets: [] })).toEqual({
        config: { name: 'notes', command: 'x', env: { A: 'own', B: 'file' } },
        fromSecrets: [],
      });
      rmSync(envFile);
      await expect(withEnvFile({ config, fromSecrets: [] })).rejects.toMatchObject({
        code: 'bad-config',
        message: `The env file ${envFile} of server notes cannot be read.`,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
