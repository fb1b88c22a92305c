/** The keys of one service; they are valid only in the sandbox. */
export interface SandboxKeys {
  readonly operator: string;
  /** A second caller with every permission. */
  readonly alice: string;
  /** A caller without any write permission. */
  readonly bob: string;
}

/**
 * The three keys of a service: fixed and readable, so that they can be typed, and found in logs that must not have any.
 */
export function sandboxKeys(service: string): SandboxKeys {
  return {
    operator: `sandbox-${service}-operator-key`,
    alice: `sandbox-${service}-alice-key`,
    bob: `sandbox-${service}-bob-key`,
  };
}

/** Name of a key's holder: `none` without a key, `unknown` for a key that the sandbox does not know. */
export function keyHolder(keys: SandboxKeys, value: string | undefined): keyof SandboxKeys | 'none' | 'unknown' {
  if (value === undefined || value === '') return 'none';
  if (value === keys.operator) return 'operator';
  if (value === keys.alice) return 'alice';
  return value === keys.bob ? 'bob' : 'unknown';
}
