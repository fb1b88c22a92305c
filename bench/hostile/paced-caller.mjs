// One caller in a thread of its own: sends at a fixed rate whatever the responses, or keeps so many requests in flight.
// In what it sends, `#` stands for the number of the request.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, perSecond, inFlight, path, headers, query } = workerData;
const TICK_MS = 20;
const agent = new Agent({ keepAlive: true, maxSockets: inFlight ?? 64 });
const statuses = {};
const open = new Set();
let isOn = false;
let sent = 0;
let owed = 0;

function send() {
  sent += 1;
  const body = query === undefined ? '' : JSON.stringify({ query: query.replaceAll('#', sent) });
  const call = request(`${url}${path}`, {
    agent,
    method: query === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll('#', sent % 250)])),
    },
  });
  open.add(call);
  const count = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  call.on('response', (answer) => {
    count(answer.statusCode);
    answer.resume();
  });
  call.on('error', () => count(isOn ? 'failed' : 'left'));
  call.on('close', () => {
    open.delete(call);
    if (isOn && inFlight !== undefined) send();
  });
  call.end(body);
}

const timer = setInterval(() => {
  if (!isOn || perSecond === undefined) return;
  owed += (perSecond * TICK_MS) / 1000;
  for (; owed >= 1; owed -= 1) send();
}, TICK_MS);

function turn(on) {
  isOn = on;
  if (on) for (let count = open.size; count < (inFlight ?? 0); count += 1) send();
  // Whoever leaves waits for nothing.
  else if (inFlight !== undefined) for (const call of open) call.destroy();
}

parentPort.on('message', (message) => {
  turn(message === 'on');
  if (message !== 'end') return;
  clearInterval(timer);
  agent.destroy();
  parentPort.postMessage({ sent, statuses });
  parentPort.close();
});
