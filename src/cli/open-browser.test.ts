import { describe, expect, it } from 'vitest';
import { openCommand } from './open-browser.ts';

describe('openCommand', () => {
  it('hands the address over as one argument, whatever is in it', () => {
    const address = 'http://127.0.0.1:7411/#sign-in=a&b';
    expect(openCommand(address, 'linux')).toEqual(['xdg-open', address]);
    expect(openCommand(address, 'darwin')).toEqual(['open', address]);
    expect(openCommand(address, 'win32').at(-1)).toBe(address);
  });
});
