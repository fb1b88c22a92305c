import { Agent, request } from 'undici';

/** A small question and its only right answer, as JSON. */
export interface SmallQuestion {
  readonly body: string;
  readonly answer: string;
}

/** What the neighbour was answered while they asked. */
export interface Neighbourhood {
  readonly asked: number;
  /** The first answers that were not the right one. */
  readonly wrong: readonly string[];
  /** Milliseconds of each answer, by the clock that was given. */
  readonly waits: readonly number[];
}

const TOLD = 3;

/** Learns the answer to a small question that is answered without errors; later ones must be the same. */
export async function learnAnswer(url: string, body: string): Promise<SmallQuestion> {
  const answer = await ask(url, body, new Agent());
  if (!answer.startsWith('200 {"data":')) throw new Error(`The neighbour cannot be answered: ${answer}`);
  return { body, answer };
}

/** Asks small questions in turns, one after the other, until stopped, and at least each of them once. */
export function startNeighbour(
  url: string,
  questions: readonly SmallQuestion[],
  nowMs: () => number,
): () => Promise<Neighbourhood> {
  const wrong: string[] = [];
  const waits: number[] = [];
  const agent = new Agent();
  let stopped = false;
  const asking = (async () => {
    for (let index = 0; !stopped || index < questions.length; index += 1) {
      const question = questions[index % questions.length]!;
      const began = nowMs();
      const answer = await ask(url, question.body, agent).catch(String);
      waits.push(nowMs() - began);
      if (answer !== question.answer && wrong.length < TOLD) wrong.push(answer);
    }
    await agent.close();
  })();
  return async () => {
    stopped = true;
    await asking;
    return { asked: waits.length, wrong, waits };
  };
}

async function ask(url: string, body: string, dispatcher: Agent): Promise<string> {
  const { statusCode, body: answer } = await request(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return `${statusCode} ${await answer.text()}`;
}
