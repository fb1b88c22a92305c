import type { Held } from '../ports/quota-store.js';
import { type StoreLink, StoreLost } from './store-link.js';

/** How a value is written, read, and brought together with what this replica knows of it. */
export interface ValueKind<V> {
  readonly empty: V;
  /** Times in a text are relative to `nowMs`, so that another process can read it. */
  write(value: V, nowMs: number): string;
  read(text: string, nowMs: number): V;
  /** What the store holds, with what this replica alone knows: its own part. */
  withOwn(stored: V, known: V, replica: string): V;
  /** Whether it holds anything that would be missed. */
  matters(value: V, nowMs: number): boolean;
}

/** Each attempt that fails is one of another replica that succeeded; so many in a row are a broken store. */
const MOST_ATTEMPTS = 50;

/** A value that replicas share, as one of them knows it. */
export class SharedValue<V> {
  /** As it was seen last. May be set while the store is away. */
  current: V;
  private version = '';
  private readonly link: StoreLink;
  private readonly key: string;
  private readonly kind: ValueKind<V>;

  constructor(link: StoreLink, key: string, kind: ValueKind<V>) {
    this.link = link;
    this.key = key;
    this.kind = kind;
    this.current = kind.empty;
  }

  /** Changes it by compare-and-set, again when another replica was faster. Rejects when the store is away or lost it. */
  async update<T>(change: (value: V) => readonly [V, T]): Promise<T> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [changed, result] = change(this.current);
      // What changes nothing is only read: whether it is still right.
      const next = changed === this.current ? null : { version: this.link.newVersion(), value: this.write(changed) };
      const held = await this.link.compareAndSet(this.key, { version: this.version, next });
      if (held.version === (next?.version ?? this.version)) {
        this.current = changed;
        this.version = held.version;
        return result;
      }
      this.adopt(held);
    }
    throw new StoreLost();
  }

  /** Believes the store the next time, even if it holds nothing. */
  forgetVersion(): void {
    this.version = '';
  }

  private write(value: V): string {
    return this.kind.write(value, this.link.clock.monotonicMs());
  }

  private adopt(held: Held): void {
    const { kind, link, current } = this;
    const nowMs = link.clock.monotonicMs();
    if (held.version === '' && this.version !== '' && kind.matters(current, nowMs)) throw new StoreLost();
    const stored = held.value === '' ? kind.empty : kind.read(held.value, nowMs - held.ageMs);
    this.current = kind.withOwn(stored, current, link.replica);
    this.version = held.version;
  }
}
