import { expect, test } from 'vitest';
import { createBoundedLines } from '../../gateway/endpoint/report.js';
import { openGateway } from '../gateway/support/open-gateway.js';
import { createMemoryLog } from '../scenarios/memory-log.js';

/** Guards that an attack with refused requests does not fill the log. */

test('lines of one kind are bounded in each minute, and what was left out is told', () => {
  const log = createMemoryLog();
  let nowMs = 0;
  const lines = createBoundedLines(log, () => nowMs);
  for (let count = 0; count < 1_000; count += 1) lines.info('400', {}, 'refused');
  lines.info('404', {}, 'refused');
  expect(log.lines).toHaveLength(101);
  nowMs = 60_000;
  lines.info('400', {}, 'refused');
  expect(log.lines.at(-1)?.fields).toEqual({ linesOmitted: 900 });
});

test('an attack of refused requests leaves a bounded log, and the trace of each line', async () => {
  const gateway = await openGateway();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  for (let count = 0; count < 150; count += 1) await (await fetch(`${gateway.url}/nowhere`, { headers })).text();
  await gateway.close();
  const refused = gateway.log.filter(({ message }) => message === 'request refused');
  expect(refused).toHaveLength(100);
  expect(refused[0]?.fields).toMatchObject({ traceId, status: 404 });
});
