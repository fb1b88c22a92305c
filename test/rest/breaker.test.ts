import { describe, expect, it } from 'vitest';
import { RouteGroup } from '../../subgraphs/rest/circuit-breaker.js';
import { createVirtualClock } from './support/virtual-clock.js';

const SECOND = 1_000;

/** A breaker without jitter. */
function create(random = () => 0.5) {
  const clock = createVirtualClock();
  return { clock, breaker: new RouteGroup({ clock, random }) };
}

function run(breaker: RouteGroup, outcome: 'success' | 'failure' | 'neutral', times = 1): void {
  for (let time = 0; time < times; time += 1) breaker.admit(false)?.(outcome);
}

/** Runs a trial, which must be due. */
function trial(breaker: RouteGroup, outcome: 'success' | 'failure' | 'neutral'): void {
  const giveBack = breaker.takeTrial();
  if (giveBack === null) throw new Error('No trial is due.');
  breaker.admit(true)?.(outcome);
  giveBack();
}

describe('a closed breaker', () => {
  it('opens after five failures in a row', () => {
    const { breaker } = create();
    run(breaker, 'failure', 4);
    run(breaker, 'success');
    run(breaker, 'failure', 4);
    expect(breaker.state).toBe('closed');
    run(breaker, 'failure');
    expect(breaker.state).toBe('open');
    expect(breaker.admit(false)).toBeNull();
  });

  it('opens when half of at least ten failed within thirty seconds', async () => {
    const { breaker, clock } = create();
    for (let n = 0; n < 4; n += 1) {
      run(breaker, 'success');
      run(breaker, 'failure');
    }
    run(breaker, 'success');
    expect(breaker.state).toBe('closed');
    run(breaker, 'failure');
    expect(breaker.state).toBe('open');

    const slow = create();
    for (let n = 0; n < 20; n += 1) {
      run(slow.breaker, n % 2 === 0 ? 'success' : 'failure');
      await slow.clock.advance(4 * SECOND);
    }
    expect(slow.breaker.state).toBe('closed');
    expect(clock.pending).toBe(0);
  });

  it('counts nothing that tells nothing', () => {
    const { breaker } = create();
    run(breaker, 'neutral', 100);
    run(breaker, 'failure', 4);
    run(breaker, 'neutral');
    run(breaker, 'failure');
    expect(breaker.state).toBe('open');
  });
});

describe('an open breaker', () => {
  it('allows one trial after 1, 2, 4, 8 and then every 8 seconds', async () => {
    const { breaker, clock } = create();
    run(breaker, 'failure', 5);
    for (const seconds of [1, 2, 4, 8, 8, 8]) {
      await clock.advance(seconds * SECOND - 1);
      expect(breaker.takeTrial()).toBeNull();
      await clock.advance(1);
      trial(breaker, 'failure');
    }
  });

  it.each([
    ['a fifth earlier', 0, 0.8],
    ['a fifth later', 1, 1.2],
  ])('spreads the trials of several processes: by chance %s', async (_when, chance, factor) => {
    const { breaker, clock } = create(() => chance);
    run(breaker, 'failure', 5);
    for (const seconds of [1, 2, 4, 8, 8]) {
      expect(breaker.trialInMs).toBeCloseTo(seconds * SECOND * factor);
      await clock.advance(breaker.trialInMs);
      trial(breaker, 'failure');
    }
  });

  it('has one trial at a time, and frees its place however it ends', async () => {
    const { breaker, clock } = create();
    run(breaker, 'failure', 5);
    await clock.advance(SECOND);
    const giveBack = breaker.takeTrial();
    expect(breaker.takeTrial()).toBeNull();
    breaker.admit(true)?.('neutral');
    giveBack?.();
    expect(breaker.state).toBe('open');
    trial(breaker, 'success');
    expect(breaker.state).toBe('half-open');
  });

  it('is not closed by a late success, nor opened again by a late failure, of calls from before', async () => {
    const { breaker, clock } = create();
    const [lateSuccess, lateFailure] = [breaker.admit(false), breaker.admit(false)];
    run(breaker, 'failure', 5);
    lateSuccess?.('success');
    expect(breaker.state).toBe('open');
    await clock.advance(SECOND);
    trial(breaker, 'success');
    lateFailure?.('failure');
    expect(breaker.state).toBe('half-open');
  });
});

describe('a breaker with a probe', () => {
  it('opens for no failures but those of its probe, and counts anew once that is answered', () => {
    const probe = { method: 'GET', template: '/v0/mission', path: '/v0/mission' } as const;
    const breaker = new RouteGroup({ clock: createVirtualClock(), random: () => 0.5, probe });
    run(breaker, 'failure', 4);
    trial(breaker, 'success');
    run(breaker, 'failure', 3);
    expect(breaker).toMatchObject({ state: 'closed' });
    expect(breaker.takeTrial()).toBeNull();
    run(breaker, 'failure');
    trial(breaker, 'failure');
    expect(breaker.state).toBe('open');
  });
});

describe('a half-open breaker', () => {
  async function halfOpen() {
    const harness = create();
    run(harness.breaker, 'failure', 5);
    await harness.clock.advance(SECOND);
    trial(harness.breaker, 'success');
    return harness;
  }

  it('allows one call at once, and one more after each success', async () => {
    const { breaker } = await halfOpen();
    const steps: number[] = [];
    while (breaker.state === 'half-open') {
      steps.push(breaker.mostInFlight);
      run(breaker, 'success');
    }
    expect(steps).toEqual(Array.from({ length: 31 }, (_, succeeded) => 1 + succeeded));
    expect(breaker).toMatchObject({ state: 'closed', mostInFlight: 32 });
  });

  it('begins from one call at once again after a failure, but does not open for a single one', async () => {
    const { breaker } = await halfOpen();
    run(breaker, 'success', 3);
    expect(breaker.mostInFlight).toBe(4);
    run(breaker, 'failure');
    expect(breaker).toMatchObject({ state: 'half-open', mostInFlight: 1 });
    run(breaker, 'success', 31);
    expect(breaker.state).toBe('closed');
  });

  it('closes after thirty seconds without a failure, however few calls there were', async () => {
    const { breaker, clock } = await halfOpen();
    run(breaker, 'success', 12);
    await clock.advance(30 * SECOND - 1);
    expect(breaker.state).toBe('half-open');
    await clock.advance(1);
    expect(breaker).toMatchObject({ state: 'closed', mostInFlight: 32 });
    run(breaker, 'failure', 5);
    expect(breaker.trialInMs).toBe(SECOND);
  });

  it('waits thirty seconds from its last failure on, and counts what was sent before it closed', async () => {
    const { breaker, clock } = await halfOpen();
    await clock.advance(20 * SECOND);
    run(breaker, 'failure');
    await clock.advance(30 * SECOND - 1);
    expect(breaker).toMatchObject({ state: 'half-open', mostInFlight: 1 });
    const settles = Array.from({ length: 5 }, () => breaker.admit(false));
    await clock.advance(1);
    expect(breaker.state).toBe('closed');
    for (const settle of settles) settle?.('failure');
    expect(breaker.state).toBe('open');
    expect(clock.pending).toBe(0);
  });

  it('opens for what a closed one opens for, each time with the next longer wait', async () => {
    const { breaker, clock } = await halfOpen();
    for (const seconds of [2, 4, 8, 8]) {
      run(breaker, 'failure', 4);
      expect(breaker.state).toBe('half-open');
      run(breaker, 'failure');
      expect(breaker.state).toBe('open');
      await clock.advance(seconds * SECOND - 1);
      expect(breaker.takeTrial()).toBeNull();
      await clock.advance(1);
      trial(breaker, 'success');
    }
    run(breaker, 'failure');
    for (let n = 0; n < 4; n += 1) {
      run(breaker, 'success');
      run(breaker, 'failure');
    }
    expect(breaker.state).toBe('half-open');
    run(breaker, 'failure');
    expect(breaker.state).toBe('open');
  });

  it('begins with the shortest wait again once it was sound', async () => {
    const { breaker } = await halfOpen();
    while (breaker.state === 'half-open') run(breaker, 'success');
    run(breaker, 'failure', 5);
    expect(breaker.trialInMs).toBe(SECOND);
  });

  it('counts no call that was sent before it was sound', async () => {
    const { breaker } = await halfOpen();
    const settles = Array.from({ length: 5 }, () => breaker.admit(false));
    while (breaker.state === 'half-open') run(breaker, 'success');
    for (const settle of settles) settle?.('failure');
    expect(breaker.state).toBe('closed');
  });

  it('forgets the failures of before: a single one opens nothing, though all were within thirty seconds', async () => {
    const { breaker, clock } = create();
    for (let n = 0; n < 5; n += 1) {
      run(breaker, 'success');
      run(breaker, 'failure');
    }
    expect(breaker.state).toBe('open');
    await clock.advance(SECOND);
    trial(breaker, 'success');
    run(breaker, 'failure');
    expect(breaker.state).toBe('half-open');
    run(breaker, 'success', 31);
    run(breaker, 'failure', 4);
    expect(breaker.state).toBe('closed');
  });
});
