import { GATEWAY } from './gateway.js';

export interface Session {
  readonly connected: boolean;
  /** The platform no longer takes the token: only a new login helps. */
  readonly reconnect: boolean;
}

/** The session of this browser at the gateway. */
export async function readSession(): Promise<Session> {
  const response = await fetch(`${GATEWAY}/auth/session`, { credentials: 'include' });
  if (!response.ok) throw new Error(`The session cannot be read: HTTP ${response.status}.`);
  return ((await response.json()) as { waste: Session }).waste;
}

/** A login is a navigation, not a request of a script. It ends on the page that is open now. */
export function loginAddress(): string {
  return `${GATEWAY}/auth/waste/login?${new URLSearchParams({ returnTo: location.href })}`;
}

/** Ends the session. */
export async function logOut(): Promise<void> {
  await fetch(`${GATEWAY}/auth/waste/logout`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'x-passerelle-csrf': '1' },
  });
}
