import { describe, expect, it } from 'vitest';
import { groupMissions } from '../../subgraphs/volunteering/missions/counts.js';
import type { DigestedMission } from '../../subgraphs/volunteering/missions/digest.js';
import { readAll } from '../../subgraphs/volunteering/missions/walk.js';
import { turnsDuring } from '../turns-during.js';

const MISSIONS = Array.from(
  { length: 10_000 },
  (_, index): DigestedMission => ({
    ...{ id: `mission ${index}`, domain: 'sport', type: 'benevolat', remote: 'NO', createdAt: null, startAt: null },
    ...{ organization: `organization ${index % 3_000}`, organizationName: null },
    departments: [`${index % 90}`, `${(index + 1) % 90}`],
    activities: ['Sport', `Activité ${index % 20}`],
  }),
);

describe('Ten thousand missions', () => {
  it('are grouped in turns of the event loop, which leave room for others', async () => {
    let complete = true;
    const turns = await turnsDuring(async () => {
      ({ complete } = await groupMissions(MISSIONS, ['DEPARTMENT', 'ACTIVITY']));
    });
    expect(complete).toBe(true);
    expect(turns).toBeGreaterThan(10);
  });

  it('are gathered in turns too, each once', async () => {
    const page = { rows: Array.from({ length: 10 }, () => MISSIONS).flat(), total: MISSIONS.length };
    let size = 0;
    const turns = await turnsDuring(async () => {
      ({ size } = (await readAll(() => page)).rows);
    });
    expect(size).toBe(MISSIONS.length);
    expect(turns).toBeGreaterThan(3);
  });
});
