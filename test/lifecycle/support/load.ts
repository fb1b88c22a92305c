import { setTimeout } from 'node:timers/promises';

/** How the requests of a load went. */
export interface LoadResult {
  readonly answered: number;
  /** Each unexpected response, as text. */
  readonly dropped: readonly string[];
}

/**
 * Repeats a query on four connections until it is stopped, each time `pauseMs` after the answer: without a pause, the
 * load takes a whole core.
 */
export function startLoad(url: string, query: string, isRight: (data: unknown) => boolean, pauseMs = 0) {
  const dropped: string[] = [];
  let answered = 0;
  let isOver = false;

  async function send(): Promise<void> {
    while (!isOver) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }).catch((error: unknown) => new Response(String(error), { status: 599 }));
      const text = await response.text();
      if (response.status === 200 && isRight((JSON.parse(text) as { data: unknown }).data)) answered += 1;
      else dropped.push(`${response.status} ${text}`);
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
  }
  const callers = [1, 2, 3, 4].map(send);
  return {
    answered: () => answered,
    async stop(): Promise<LoadResult> {
      isOver = true;
      await Promise.all(callers);
      return { answered, dropped };
    },
  };
}
