import { Socket } from 'node:net';

/**
 * Ends this process when the launcher that started it is gone, however it ended (docs/architecture.md, "Launcher").
 * It ends at once: what it leaves behind is the watchdog's, as after any sudden death (R5).
 */
export function followLauncher(env: Record<string, string | undefined>): void {
  const fd = env['LONGSHORE_LIFELINE'];
  if (fd === undefined) return;
  delete env['LONGSHORE_LIFELINE'];
  const lifeline = new Socket({ fd: Number(fd), readable: true, writable: false });
  lifeline.on('error', () => process.exit(1));
  lifeline.on('close', () => process.exit(1));
  lifeline.resume();
  lifeline.unref();
}
