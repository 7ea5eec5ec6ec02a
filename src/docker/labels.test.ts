import { describe, expect, it } from 'vitest';
import type { AgentId, HomeId, InstanceId, ServerKey } from '../core/ids.ts';
import { type ContainerLabels, label, ownership, readLabels, writeLabels } from './labels.ts';

const labels: ContainerLabels = {
  home: 'h1' as HomeId,
  agent: 'did:x:a' as AgentId,
  server: 'github' as ServerKey,
  kind: 'docker-run',
  instance: 'i1' as InstanceId,
  marker: 'm1',
  phase: 'probe',
  pid: 4242,
  image: 'ghcr.io/x/y:latest',
};

describe('labels of our containers', () => {
  it('come back as they were written, others left out', () => {
    const written = writeLabels(labels);
    expect(Object.keys(written).every(key => key.startsWith('dev.longshore.'))).toBe(true);
    expect(readLabels({ ...written, 'org.opencontainers.image.title': 'x' })).toEqual({ ...labels, pid: '4242' });
    expect(label('home', 'h1')).toBe('dev.longshore.home=h1');
  });

  it('R57: prove ownership by home and agent; anything less is not ours', () => {
    const us = { home: labels.home, agent: labels.agent };
    expect(ownership(writeLabels(labels), us)).toBe('ours');
    expect(ownership(writeLabels({ ...labels, agent: 'did:x:b' as AgentId }), us)).toBe('other-agent');
    expect(ownership(writeLabels({ ...labels, home: 'h2' as HomeId }), us)).toBe('other-home');
    expect(ownership({}, us)).toBe('nobody');
    expect(ownership({ 'dev.longshore.agent': labels.agent }, us)).toBe('nobody');
  });
});
