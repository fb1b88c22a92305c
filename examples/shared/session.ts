/** Where the gateway is; `VITE_GATEWAY_URL` at build time names another. */
export const GATEWAY: string = import.meta.env['VITE_GATEWAY_URL'] ?? 'http://127.0.0.1:4000';

export interface Session {
  readonly connected: boolean;
  /** The platform no longer accepts the token: only a new login helps. */
  readonly reconnect: boolean;
}

/** The session of this browser at the gateway. Throws an Error unless the status is 2xx. */
export async function readSession(): Promise<Session> {
  const response = await fetch(`${GATEWAY}/auth/session`, { credentials: 'include' });
  if (!response.ok) throw new Error(`The session cannot be read: HTTP ${response.status}.`);
  return ((await response.json()) as { waste: Session }).waste;
}

/** The address of the login: a navigation, not a request of a script. It leads back to the page that is open now. */
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
