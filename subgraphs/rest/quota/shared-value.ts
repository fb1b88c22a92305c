import type { Stored } from '../ports/quota-store.js';
import { type StoreLink, storeLost } from './store-link.js';

/** How a value is written, read, and merged with what this replica knows. */
export interface ValueKind<V> {
  readonly empty: V;
  /** Times in the text are relative to `nowMs`, so that other processes can read it. */
  write(value: V, nowMs: number): string;
  read(text: string, nowMs: number): V;
  /** Merges the stored value with what this replica knows, after the store was out of reach. */
  merge(stored: V, known: V, replica: string): V;
  /** Whether losing the value would matter. */
  matters(value: V, nowMs: number): boolean;
}

/**
 * An attempt fails when another replica's has succeeded, and in a burst a replica may lose for as long as others have
 * changes: a hundred times in a row were seen. This many mean a broken store.
 */
const MAX_ATTEMPTS = 1000;

/** A value that replicas share, as this one knows it. */
export class SharedValue<V> {
  /** The value last seen. May be set while the store is down. */
  current: V;
  private version = '';
  private connection: number;
  /** What was known before the present connection; null once merged. */
  private unmerged: V | null = null;
  private readonly link: StoreLink;
  private readonly key: string;
  private readonly kind: ValueKind<V>;

  constructor(link: StoreLink, key: string, kind: ValueKind<V>) {
    this.link = link;
    this.key = key;
    this.kind = kind;
    this.current = kind.empty;
    this.connection = link.connection;
  }

  /** Changes it by compare-and-set, retried if another replica was faster. Rejects if the store is down or lost it. */
  async update(change: (value: V) => V): Promise<void> {
    const { link } = this;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      this.noteConnection();
      const changed = change(this.current);
      // A change that alters nothing only reads, to check that the value is still current.
      const isSame = changed === this.current && this.unmerged === null;
      const value = isSame ? '' : this.kind.write(changed, link.clock.monotonicMs());
      const next = isSame ? null : { version: link.newVersion(), value };
      const stored = await link.compareAndSet(this.key, { version: this.version, next });
      if (this.connection === link.connection && stored.version === (next?.version ?? this.version)) {
        this.current = changed;
        this.version = stored.version;
        this.unmerged = null;
        return;
      }
      this.noteConnection();
      this.adopt(stored);
    }
    throw new Error(`The shared store took none of ${MAX_ATTEMPTS} attempts to change it.`);
  }

  private noteConnection(): void {
    if (this.connection === this.link.connection) return;
    this.connection = this.link.connection;
    this.unmerged = this.current;
    this.version = '';
  }

  private adopt({ version, value, ageMs }: Stored): void {
    const { kind, link, unmerged } = this;
    const nowMs = link.clock.monotonicMs();
    if (version === '' && this.version !== '' && kind.matters(this.current, nowMs)) throw storeLost();
    const stored = value === '' ? kind.empty : kind.read(value, nowMs - ageMs);
    this.current = unmerged === null ? stored : kind.merge(stored, unmerged, link.replica);
    this.version = version;
  }
}
