import type { FastifyReply, FastifyRequest } from 'fastify';
import { type SandboxKeys, sandboxKeys } from '../server/keys.js';
import type { World } from '../world/types.js';

/** The partner account behind one key: there is one key for each partner (volunteering 12.5). */
export interface Account {
  /** Name of the key, as in the call log. */
  readonly name: keyof SandboxKeys;
  /** The account's own publisher id, the last segment of the `applicationUrl`s that it receives. */
  readonly publisherId: string;
  /** Whether missions of this publisher are shared with the account (volunteering 2.3). */
  sees(publisherId: unknown): boolean;
}

/** Keys of the sandbox's volunteering service. They open nothing else. */
export const volunteeringKeys: SandboxKeys = sandboxKeys('volunteering');

/**
 * The accounts by the name of their key. The operator sees every publisher. Alice and Bob each lack every third, but
 * different ones, so each receives responses that the other does not.
 */
export function createAccounts(publishers: World['publishers']): ReadonlyMap<string, Account> {
  const without = (rest: number) => new Set(publishers.filter((_, index) => index % 3 === rest).map(({ id }) => id));
  const hiddenFromAlice = without(1);
  const hiddenFromBob = without(2);
  const accounts: readonly Account[] = [
    { name: 'operator', publisherId: '5f99dbe75eb1ad767733b206', sees: () => true },
    { name: 'alice', publisherId: '60cd04a0d2321e05a743fa8e', sees: (id) => !hiddenFromAlice.has(String(id)) },
    { name: 'bob', publisherId: '5fa438777a2fa04fc30aeaa6', sees: (id) => !hiddenFromBob.has(String(id)) },
  ];
  return new Map(accounts.map((account) => [account.name, account]));
}

/** A request of an account. */
export interface AuthorizedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: Account;
}
