import { isRecord, type Json } from '../world/types.js';

/**
 * Deviations from the platform's behaviour that tests of a client need (waste-identity 11, third column). The defaults
 * are faithful to the era.
 */
export interface WasteSwitches {
  /** E-mail of a user who counts as logged in where there is no session. */
  presetUser: string | null;
  /** `approve` and `deny` decide immediately, without a page, for a logged-in user. */
  dialog: 'ask' | 'approve' | 'deny';
  /** How the redirect to the client treats the `state` of a request. */
  state: 'echoed' | 'dropped' | 'altered' | 'duplicated';
  /** The `iss` parameter of RFC 9207, which the platform does not send. */
  iss: 'absent' | 'present' | 'wrong';
  codeLifetimeMs: number;
  /** A code's second use: `allowed` was the platform's rule until October 2025; `revokes` is RFC 6749 4.1.2. */
  replay: 'refused' | 'allowed' | 'revokes';
  /** `enforced` makes a challenge binding if one was sent. */
  pkce: 'ignored' | 'enforced';
  /** Statuses and bodies of refused token requests; the era's own if null. */
  errors: 'platform' | 'rfc' | null;
  /** The form of the token reply; the era's own where null. */
  token: {
    type: string | null;
    contentType: string | null;
    /** Members to add or replace; an undefined one is omitted from the reply. */
    members: Json;
  };
  /** Reply to a request without a valid token: 200 with `UNAUTHENTICATED`, or a 401 as in RFC 6750. */
  unauthenticated: 'graphql' | 'status';
  /** Every GraphQL reply is the blacklist's: plain text with status 200 (waste-identity 5.3). */
  blacklisted: boolean;
  /**
   * How pages of companies follow each other. The platform sorts by names and dates alone, and skips companies where
   * these are equal: `skipping` leaves out ten at each border. `repeating` ignores the cursor.
   */
  companyPages: 'whole' | 'skipping' | 'repeating';
  /** Calls from one address to the API host (waste-identity 8). */
  quota: { limit: number; windowMs: number };
}

/** The faithful behaviour. */
export function defaultSwitches(): WasteSwitches {
  return {
    presetUser: null,
    dialog: 'ask',
    state: 'echoed',
    iss: 'absent',
    // Ten minutes, as both documents say (waste-identity 12.8, 3.5).
    codeLifetimeMs: 600_000,
    replay: 'refused',
    pkce: 'ignored',
    errors: null,
    token: { type: null, contentType: null, members: {} },
    unauthenticated: 'graphql',
    blacklisted: false,
    companyPages: 'whole',
    quota: { limit: 1000, windowMs: 60_000 },
  };
}

/**
 * Sets the switches that a control request names. Unknown switches and words are refused; nested switches are merged.
 * @throws TypeError
 */
export function setSwitches(switches: WasteSwitches, changes: Json): void {
  const known: Json = { ...switches };
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(known, name)) throw new TypeError(`switches are ${Object.keys(known).join(', ')}`);
    const words = WORDS[name];
    if (words !== undefined && !words.includes(value)) throw new TypeError(`${name} is one of ${words.join(', ')}`);
    const current = known[name];
    Object.assign(switches, { [name]: isRecord(current) && isRecord(value) ? { ...current, ...value } : value });
  }
}

/** The words that each switch accepts, for switches that take words. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  dialog: ['ask', 'approve', 'deny'],
  state: ['echoed', 'dropped', 'altered', 'duplicated'],
  iss: ['absent', 'present', 'wrong'],
  replay: ['refused', 'allowed', 'revokes'],
  pkce: ['ignored', 'enforced'],
  errors: ['platform', 'rfc', null],
  unauthenticated: ['graphql', 'status'],
  companyPages: ['whole', 'skipping', 'repeating'],
};
