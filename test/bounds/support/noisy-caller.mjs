// One caller in a thread of its own: sends the same bodies repeatedly on each connection, and reads every response.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, bodies, headers: own, connections } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const counts = { answered: 0, bytes: 0 };
let stopped = false;

function post(body) {
  const headers = { ...own, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const sent = request(`${url}/graphql`, { agent, method: 'POST', headers }, (response) => {
      response.on('data', ({ length }) => {
        counts.bytes += length;
      });
      response.on('close', resolve);
    });
    sent.on('error', resolve).end(body);
  });
}

async function sendUntilStopped(first) {
  for (let at = first; !stopped; at += 1) {
    // A document that was never sent before must be parsed and planned.
    await post(
      bodies[at % bodies.length].replaceAll('FRESH', `Q${first}_${at}_${Math.random().toString(36).slice(2)}`),
    );
    counts.answered += 1;
  }
}

parentPort.on('message', () => {
  stopped = true;
});
await Promise.all(Array.from({ length: connections }, (_, index) => sendUntilStopped(index)));
agent.destroy();
parentPort.postMessage(counts);
parentPort.close();
