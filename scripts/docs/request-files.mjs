// `npm run request-files`: the files of the product that a request enters, by the coverage of a running process: an
// operation that is known, with values that are not, in one process with the sandbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readArguments } from '../arguments.mjs';

readArguments('npm run request-files', {});

const OPERATION =
  'query Missions($city: [String!]) { missions(first: 5, city: $city) { nodes { title commune { nom } } } }';

/** Values of the first request, which makes the operation known, and of the second, whose files are counted. */
const [FIRST, SECOND] = [{ city: 'Rennes' }, { city: 'Nantes' }];

/** Runs in the process before its program: counts functions from one message to the next, and answers with files. */
const COUNTER = `
  import { Session } from 'node:inspector/promises';
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const entered = ({ functions }) => functions.some(({ ranges: [whole] }) => whole.count > 0);
    process.send(result.filter(entered).map(({ url }) => url));
  });
`;

const root = new URL('../../dist/', import.meta.url).href;
const child = spawn(
  process.execPath,
  ['--import', `data:text/javascript,${encodeURIComponent(COUNTER)}`, new URL('main.js', root).pathname],
  { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
);
try {
  const url = await started();
  await send(url, FIRST);
  await send(url, FIRST);
  await filesSince();
  await send(url, SECOND);
  const files = (await filesSince())
    .filter((file) => file.startsWith(root) && !file.startsWith(`${root}sandbox/`))
    .map((file) => file.slice(root.length).replace(/\.js$/, '.ts'))
    .sort();
  console.log([...files, `${files.length} files`].join('\n'));
} finally {
  child.kill();
}

/** The address, once what the process fetches at its start is there. */
async function started() {
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    url ||= /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
    if (line.includes('startup complete')) return url;
  }
  throw new Error('The process ended before it had started.');
}

async function send(url, variables) {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: OPERATION, variables }),
  });
  const { data, errors } = await response.json();
  if (errors !== undefined || data.missions.nodes.length === 0)
    throw new Error(`HTTP ${response.status}: ${JSON.stringify(errors)}`);
}

async function filesSince() {
  child.send('files');
  const [files] = await once(child, 'message');
  return files;
}
