import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);

/** What calls of services need of undici, by its files: the index loads `fetch`, web sockets and caches too, 4 MB. */
export const Agent: typeof undici.Agent = load('undici/lib/dispatcher/agent.js');
/** An agent that goes through the proxies of its settings. */
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = load('undici/lib/dispatcher/env-http-proxy-agent.js');
/** Classes of errors. */
export const errors: typeof undici.errors = load('undici/lib/core/errors.js');
/** To be called with the agent as `this`: it is a method of agents only where the index is loaded. */
export const request: undici.Dispatcher['request'] = load('undici/lib/api/api-request.js');
