import { expect, test } from 'vitest';
import { WholeList } from '../../../subgraphs/work-study/certifications/whole-list.js';

test('A list takes no more rows than it has room for', async () => {
  let sent = 0;
  const row = Buffer.from(JSON.stringify({ noise: 'x'.repeat(1_000_000) }));
  async function* endless() {
    for (;;) {
      sent += 1;
      yield row;
    }
  }
  const { json } = await WholeList.gather(endless());
  expect(json).toMatchObject({ isFull: true, size: sent });
  expect(sent).toBeLessThan(600);
});
