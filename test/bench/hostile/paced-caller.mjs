// One caller in a thread of its own, who sends at a fixed rate whatever the responses: each request is a new query,
// with a newly invented key if they invent keys, or a probe.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, perSecond, sends } = workerData;
const isProbe = sends === 'probes';
const TICK_MS = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const statuses = {};
let isOn = false;
let sent = 0;
let owed = 0;

function send() {
  sent += 1;
  const query = `{ missions(first: 5, city: ["h${sent}"]) { nodes { title commune { nom } } } }`;
  const body = isProbe ? '' : JSON.stringify({ query });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-forwarded-for': '192.0.2.66',
    ...(sends === 'a new key with each request' && { 'x-volunteering-key': `invented-${sent}` }),
  };
  const target = isProbe
    ? [`${url}/readyz`, { agent, headers }]
    : [`${url}/graphql`, { agent, method: 'POST', headers }];
  const call = request(...target, (answer) => {
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
    answer.resume();
  });
  call.on('error', () => {
    statuses.failed = (statuses.failed ?? 0) + 1;
  });
  call.end(body);
}

const timer = setInterval(() => {
  if (!isOn) return;
  owed += (perSecond * TICK_MS) / 1000;
  for (; owed >= 1; owed -= 1) send();
}, TICK_MS);

parentPort.on('message', (message) => {
  if (message === 'end') {
    clearInterval(timer);
    agent.destroy();
    parentPort.postMessage({ sent, statuses });
    parentPort.close();
  } else isOn = message === 'on';
});
