import { describe, expect, it } from 'vitest';
import { Emitter } from './emitter.ts';

describe('an emitter', () => {
  it('calls its listeners in order and in the same tick, until they are removed', () => {
    const heard: string[] = [];
    const emitter = new Emitter<[string]>();
    expect(emitter.isEmpty).toBe(true);
    const stop = emitter.on(text => heard.push(`first ${text}`));
    emitter.on(text => heard.push(`second ${text}`));
    emitter.emit('a');
    stop();
    emitter.emit('b');
    emitter.clear();
    emitter.emit('c');
    expect(heard).toEqual(['first a', 'second a', 'second b']);
    expect(emitter.isEmpty).toBe(true);
  });

  it('calls neither twice nor too early whoever is added or removed by a listener', () => {
    const heard: string[] = [];
    const emitter = new Emitter<[number]>();
    const stop = emitter.on(number => {
      heard.push(`once ${number}`);
      stop();
      emitter.on(later => heard.push(`added ${later}`));
    });
    emitter.emit(1);
    emitter.emit(2);
    expect(heard).toEqual(['once 1', 'added 2']);
  });
});
