import { expect, it } from 'vitest';
import { requireNode } from './required-node.ts';

it('says in one sentence which Node is needed and which one this is', () => {
  for (const version of ['24.0.0', '26.1.2']) expect(() => requireNode(version)).not.toThrow();
  for (const version of ['18.20.1', '20.20.2', '22.19.0']) {
    expect(() => requireNode(version)).toThrow(`Longshore needs Node 24 or later; this is Node ${version}.`);
  }
});
