import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createLifecycle } from '../../runtime/process/lifecycle.js';
import { createLines } from './support/lines.js';

describe('the lifecycle', () => {
  it('closes in the reverse order of opening, one after the other, once', async () => {
    const lifecycle = createLifecycle(createLines().log);
    const closed: string[] = [];
    for (const part of ['store', 'subgraph', 'gateway']) {
      lifecycle.opened(part, async () => {
        await Promise.resolve();
        closed.push(part);
      });
    }
    expect(lifecycle.phase).toBe('starting');
    lifecycle.ready();
    expect(lifecycle.phase).toBe('ready');
    const closing = lifecycle.close();
    expect(lifecycle.phase).toBe('draining');
    await Promise.all([closing, lifecycle.close()]);
    expect(closed).toEqual(['gateway', 'subgraph', 'store']);
  });

  it('closes the rest when one part fails, and says which', async () => {
    const lines = createLines();
    const lifecycle = createLifecycle(lines.log);
    let storeClosed = false;
    lifecycle.opened('store', async () => {
      storeClosed = true;
    });
    lifecycle.opened('gateway', () => Promise.reject(new Error('stuck')));
    await lifecycle.close();
    expect(storeClosed).toBe(true);
    expect(lines.read()).toMatchObject([{ level: 'error', part: 'gateway' }]);
  });

  it('gives a part the time of the longest request to close, and half a minute at least', async () => {
    vi.useFakeTimers();
    try {
      const lines = createLines();
      const closingAfter = async (requestDeadlineMs: number) => {
        const lifecycle = createLifecycle(lines.log, { requestDeadlineMs });
        lifecycle.opened('gateway', () => new Promise<void>((resolve) => setTimeout(resolve, 100_000)));
        const closing = lifecycle.close();
        await vi.runAllTimersAsync();
        await closing;
        return lines.read().map(({ err }) => (err as { message: string }).message);
      };
      expect(await closingAfter(120_000)).toEqual([]);
      expect(await closingAfter(1_000)).toEqual(['Not closed after 30000 ms.']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not become ready again once it drains', async () => {
    const lifecycle = createLifecycle(createLines().log);
    await lifecycle.close();
    lifecycle.ready();
    expect(lifecycle.phase).toBe('draining');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('lets the process end in good order on %s', async (signal) => {
    const child = fork(new URL('./support/closing-process.mjs', import.meta.url), {
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
    });
    await once(child, 'message');
    // Not a signal to end: without the listener, the process would be gone with nothing closed.
    child.kill('SIGHUP');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output).toContain('part closed');
  });
});
