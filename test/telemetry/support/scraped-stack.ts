import { freePort } from '../../bounds/support/free-port.js';
import { type Stack, startStack } from '../../scenarios/stack.js';

/** The product in one process, and its metrics as Prometheus reads them. */
export interface ScrapedStack {
  readonly stack: Stack;
  scrape(): Promise<string>;
}

export async function startScrapedStack(): Promise<ScrapedStack> {
  const port = await freePort();
  const env = { METRICS_PORT: String(port) };
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.1 }, env });
  return { stack, scrape: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text() };
}
