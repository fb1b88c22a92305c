import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReplicas, type Replicas } from '../reliability/support/replicas.js';

/** What a process says of settings that only a start can show to be wrong. */

const PRODUCTION = { NODE_ENV: 'production', DRAIN_MS: '0', CACHE_DIR: 'off' };

let replicas: Replicas;
beforeAll(async () => {
  replicas = await openReplicas();
});
afterAll(() => replicas.close());

describe('A start', () => {
  it('with a port that is taken fails before the first call to a service', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const PORT = String(typeof address === 'object' ? address?.port : '');
    for (const role of ['all', 'work-study'] as const) {
      await expect(replicas.open({ ...PRODUCTION, PORT }, role)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    }
    expect(replicas.sandbox.workStudy.callLines()).toEqual([]);
    taken.close();
  });

  it('says once each what the next release will refuse', async () => {
    const { log } = await replicas.open({ ...PRODUCTION, TRACE: 'a-secret-of-some-length' }, 'volunteering');
    const warned = log.lines.filter(({ level, message }) => level === 'warn' && message.includes('next release'));
    expect(warned.map(({ message }) => message)).toEqual([expect.stringContaining('TRACE')]);
  });
});

describe('An address by https where the service speaks http', () => {
  it('is named as such by the log line of its first failure', async () => {
    const WORK_STUDY_URL = replicas.sandbox.workStudy.url.replace('http:', 'https:');
    const { log, send } = await replicas.open({ WORK_STUDY_URL });
    const { errors } = await send('{ departements { nom } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    const failed = log.lines.find(({ message }) => message === 'upstream call failed');
    expect(failed?.fields).toMatchObject({
      cause: { cause: { message: expect.stringContaining('the service speaks http there') } },
    });
  });
});
