/** Which behaviour a service shows: as it runs today, or as its seed document describes it. */
export type Era = 'today' | 'seed';

/** One request that a service of the sandbox received. */
export interface SandboxCall {
  readonly method: string;
  /** Path and query exactly as they came. */
  readonly url: string;
  /** Name of the key that it carried (`operator`, `alice`, …), `none` without one, `unknown` for one that is not known. */
  readonly key: string;
  /** Names, in lower case, of the request's headers that carry credentials. Never their values. */
  readonly credentialHeaders: readonly string[];
  readonly body: unknown;
  /** Status that was sent; null while it is open or when it was cut. */
  status: number | null;
  /** Whether the client closed the connection before the answer was complete. */
  aborted: boolean;
}

/** What a service shall do wrong, for the calls that match. */
export interface Fault {
  readonly kind:
    | 'latency'
    | 'status'
    | 'html'
    | 'cut'
    | 'wrong-type'
    | 'drop'
    | 'drip'
    | 'rate-limit'
    | 'proxy-rate-limit'
    | 'silent'
    | 'reset-mid-body'
    | 'big-body'
    | 'redirect'
    | 'gzip-bomb'
    | 'wrong-length'
    | 'html-404'
    | 'headers';
  /** Only calls whose path begins with this. Every call when left out. */
  readonly path?: string;
  readonly method?: string;
  /** How many calls it meets before it ends by itself; for ever when left out. */
  readonly times?: number;
  /** Milliseconds, for `latency` and `drip`. */
  readonly ms?: number;
  /** For `status` and `html`. */
  readonly status?: number;
  /** For `headers`: set on the answer (null removes one). */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** For `wrong-type`: changes the parsed JSON body in place before it is sent. */
  readonly change?: (body: unknown) => unknown;
}

/** One running service of the sandbox. */
export interface SandboxService {
  /** Base address as a client is configured with it. */
  readonly url: string;
  /** Every call since the last `clearCalls`, in the order of arrival. */
  readonly calls: readonly SandboxCall[];
  /** The calls as sorted lines `GET /path?query key`, the form that scenarios compare. */
  callLines(): string[];
  clearCalls(): void;
  /** Adds a fault; the returned function ends it. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  era: Era;
  /** Moves the service's clock forward: quota windows, codes and links age. */
  advance(ms: number): void;
  /** Forgets quota windows, calls, faults and everything that clients wrote. */
  reset(): void;
  /** Resolves when the service has seen this call, or at once when it already has. Never polls. */
  seen(match: (call: SandboxCall) => boolean): Promise<SandboxCall>;
  close(): Promise<void>;
}

/** Keys that the sandbox knows, by service. They open nothing but the sandbox. */
export interface SandboxKeys {
  readonly operator: string;
  /** A second caller with every permission. */
  readonly alice: string;
  /** A caller without any write permission. */
  readonly bob: string;
}
