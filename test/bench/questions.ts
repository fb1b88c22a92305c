import { request } from 'undici';

/** A question of the bench, and what it must answer for a measurement to count. */
export interface Question {
  readonly name: string;
  readonly query: string;
  /** How often each variant is asked in one round. */
  readonly times: number;
}

const JOIN = (missions: number) => `{
  missions(first: ${missions}) {
    nodes { id title commune { nom departement { nom } } organization { title siret workplaces { name siret } } }
  }
}`;

export const QUESTIONS: readonly Question[] = [
  { name: 'trivial', query: '{ __typename }', times: 400 },
  { name: 'join of 20', query: JOIN(20), times: 200 },
  { name: 'wide, 100', query: JOIN(100), times: 60 },
];

/** Answers that are in flight at once. */
const CONNECTIONS = 16;

export interface Asked {
  readonly answer: string;
  /** Milliseconds of each answer, sorted. */
  readonly waits: readonly number[];
  readonly seconds: number;
}

/** Asks a question so often over a few connections. Throws when two answers differ. */
export async function askOften(url: string, { query, times }: Question): Promise<Asked> {
  const answers = new Set<string>();
  const waits: number[] = [];
  let left = times;
  const client = async () => {
    while (left-- > 0) {
      const began = performance.now();
      answers.add(await askOnce(url, query));
      waits.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const [answer, other] = answers;
  if (answer === undefined || other !== undefined) throw new Error('The same question had two answers.');
  return { answer, waits: waits.sort((a, b) => a - b), seconds: (performance.now() - began) / 1000 };
}

/** The data of one answer as text. Throws when there are errors. */
export async function askOnce(url: string, query: string): Promise<string> {
  const { body } = await request(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await body.json()) as { data: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`The bench got errors: ${JSON.stringify(errors)}`);
  return JSON.stringify(data);
}
