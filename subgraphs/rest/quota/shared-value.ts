import type { Clock } from '../ports/clock.js';
import type { Change, Held } from '../ports/quota-store.js';

/** How a value is written, read, and brought together with what this replica knows of it. */
export interface ValueKind<V> {
  readonly empty: V;
  read(text: string, nowMs: number): V;
  write(value: V, nowMs: number): string;
  /** What the store holds, with what this replica alone knows. */
  withOwn(stored: V, known: V): V;
  /** Whether it holds anything that would be missed. */
  matters(value: V, nowMs: number): boolean;
}

/** A value that replicas share, as one of them knows it. */
export interface SharedValue<V> {
  /** As it was seen last. May be set while the store is away. */
  current: V;
  /** Changes it in one step. `change` runs again when somebody else was faster. Rejects when the store is away or has lost it. */
  update<T>(change: (value: V) => readonly [V, T]): Promise<T>;
  /** Takes the store's word for what it holds the next time, even if that is nothing. */
  forgetVersion(): void;
}

export interface SharedValueOptions {
  readonly clock: Clock;
  readonly compareAndSet: (change: Omit<Change, 'mark'>) => Promise<Held>;
  /** Another one each time, among all replicas. */
  readonly newVersion: () => string;
}

/** Each attempt that fails is one of another replica that succeeded; so many in a row are a broken store. */
const MOST_ATTEMPTS = 50;

export function createSharedValue<V>(
  kind: ValueKind<V>,
  { clock, compareAndSet, newVersion }: SharedValueOptions,
): SharedValue<V> {
  let current = kind.empty;
  let version = '';

  function adopt(held: Held): void {
    const nowMs = clock.monotonicMs();
    if (held.version === '' && version !== '' && kind.matters(current, nowMs)) throw new StoreLost();
    const stored = held.value === '' ? kind.empty : kind.read(held.value, nowMs - held.ageMs);
    current = kind.withOwn(stored, current);
    version = held.version;
  }

  return {
    get current() {
      return current;
    },
    set current(value) {
      current = value;
    },
    async update(change) {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        const [changed, result] = change(current);
        // What changes nothing is only read: whether it is still right.
        const next =
          changed === current ? null : { version: newVersion(), value: kind.write(changed, clock.monotonicMs()) };
        const held = await compareAndSet({ version, next });
        if (held.version === (next?.version ?? version)) {
          current = changed;
          version = held.version;
          return result;
        }
        adopt(held);
      }
      throw new StoreLost();
    },
    forgetVersion() {
      version = '';
    },
  };
}

/** What was kept there is gone: evicted, flushed, or the store is another one. */
export class StoreLost extends Error {
  constructor() {
    super('The shared store has lost what it held.');
    this.name = 'StoreLost';
  }
}
