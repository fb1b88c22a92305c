import { textsNow } from '../language/texts.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** Who is connected to the waste platform. */
export interface Session {
  readonly connected: boolean;
  /** Whether the platform no longer accepts an earlier login. */
  readonly reconnect?: boolean;
  readonly user: { readonly name?: string | null; readonly email?: string | null } | null;
}

/** The state of the login: a session, `none` if logging in is off, or unknown. */
export type LoginState =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Fetches the state of the login; rejects only if the signal aborts. */
export async function readLogin(signal: AbortSignal): Promise<LoginState> {
  try {
    const response = await window.fetch('/auth/session', { signal });
    if (response.status === 404) return { kind: 'none' };
    if (response.status === 503) return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).storeDown };
    if (!response.ok) return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).status(response.status) };
    const { waste }: { waste: Session } = await response.json();
    return { kind: 'session', session: waste };
  } catch {
    signal.throwIfAborted();
    return { kind: 'unknown', why: textsNow(SIDEBAR_TEXTS).noResponse };
  }
}

/** Ends the session; returns whether that succeeded. The header protects against forged requests. */
export async function disconnect(): Promise<boolean> {
  try {
    const { ok } = await window.fetch('/auth/waste/logout', { method: 'POST', headers: { 'x-passerelle-csrf': '1' } });
    return ok;
  } catch {
    return false;
  }
}
