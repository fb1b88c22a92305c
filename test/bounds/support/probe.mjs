// Preloaded into the built server: watches its event loop and memory, and answers the test over IPC.
import { subscribe } from 'node:diagnostics_channel';
import { openSync, readSync } from 'node:fs';

/** A tenth of the limits, and rare enough to cost less than a hundredth of a core. */
const TICK_MS = 10;
/** Longest time between two notes unless the loop is blocked: the compared waits are a few times as long. */
const NOTE_MS = 1;
/** Shortest time between two. */
const DENSEST_MS = 0.2;

const readThreadMs = openThreadClock();
let last = readClocks();
let peaks = noPeaks();
/** Pairs of the time and how long the main thread has worked, in milliseconds. Null while not recording. */
let notes = null;
let noting;

setInterval(tick, TICK_MS).unref();
for (const event of ['http.server.request.start', 'http.server.response.finish']) subscribe(event, takeNote);

function tick() {
  const now = readClocks();
  // Wall time alone includes other processes on the core; CPU time of the process alone includes helper threads.
  const stallMs = Math.min(now.wallMs - last.wallMs - TICK_MS, now.cpuMs - last.cpuMs, now.threadMs - last.threadMs);
  last = now;
  const { heapUsed, external, rss } = process.memoryUsage();
  peaks.stallMs = Math.max(peaks.stallMs, stallMs);
  peaks.heapBytes = Math.max(peaks.heapBytes, heapUsed);
  peaks.outsideBytes = Math.max(peaks.outsideBytes, external);
  peaks.residentBytes = Math.max(peaks.residentBytes, rss);
}

function takeNote() {
  const nowMs = Number(process.hrtime.bigint()) / 1e6;
  // A note takes as long as a third of a small answer: of thousands a second, most would be of themselves.
  if (notes === null || nowMs - (notes.at(-2) ?? 0) < DENSEST_MS) return;
  // The system updates a thread's running time every few milliseconds, and when the thread itself queries it.
  process.cpuUsage();
  notes.push(nowMs, readThreadMs());
}

function readClocks() {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000, threadMs: readThreadMs() };
}

/** Milliseconds that this thread has run, to within a few; wall time except on Linux. */
function openThreadClock() {
  try {
    const file = openSync('/proc/thread-self/schedstat');
    const text = Buffer.alloc(64);
    return () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)), 10) / 1e6;
  } catch {
    return () => performance.now();
  }
}

function noPeaks() {
  return { stallMs: 0, heapBytes: 0, outsideBytes: 0, residentBytes: 0 };
}

/** The calibrating work, like most of a gateway's: rows written as JSON, parsed and walked. */
const ROWS = Array.from({ length: 2_000 }, (_, index) => ({
  id: `row-${index}`,
  title: 'Accompagner une personne isolée '.repeat(2),
  address: { city: 'Saint-Étienne', postalCode: String(10_000 + index), location: { lon: index / 7, lat: index / 11 } },
  tags: ['environnement', 'solidarité', null, true, index],
}));

function work() {
  const rows = JSON.parse(JSON.stringify(ROWS));
  let points = 0;
  for (const row of rows) {
    const { location, ...rest } = row.address;
    const copy = { ...row, address: rest, point: [location.lon, location.lat] };
    points += copy.point.length + copy.tags.length;
  }
  return points;
}

/** Since Node 22 JSON takes two thirds of the time, which little else in a gateway does: the limits are of Node 20. */
const SLOWER = Number(process.versions.node.split('.')[0]) >= 22 ? 1.5 : 1;

/** Milliseconds that the calibrating work takes now: the median, to exclude a collection or a busy moment. */
function calibrate() {
  const times = Array.from({ length: 5 }, () => {
    const before = readClocks();
    work();
    const after = readClocks();
    return Math.min(after.wallMs - before.wallMs, after.cpuMs - before.cpuMs);
  });
  last = readClocks();
  return SLOWER * times.sort((a, b) => a - b)[2];
}

/** Memory in use after collecting young garbage: includes old garbage, but takes a hundredth of the time. */
function sweep() {
  globalThis.gc({ type: 'minor' });
  return held();
}

/** Memory in use after one full collection, which finds buffers that only the second frees. */
function collectOnce() {
  globalThis.gc();
  return held();
}

/** Memory in use after collecting all garbage. */
function collect() {
  collectOnce();
  return collectOnce();
}

function held() {
  const { heapUsed, external } = process.memoryUsage();
  last = readClocks();
  return { heapBytes: heapUsed, outsideBytes: external };
}

const COMMANDS = {
  calibrate,
  sweep,
  collectOnce,
  collect,
  reset() {
    last = readClocks();
    peaks = noPeaks();
    tick();
  },
  note() {
    notes = [];
    noting = setInterval(takeNote, NOTE_MS);
  },
  noted() {
    takeNote();
    clearInterval(noting);
    const taken = notes;
    notes = null;
    return taken;
  },
  read() {
    tick();
    return peaks;
  },
};

// Compiled before anything is measured.
for (let time = 0; time < 3; time += 1) calibrate();

process.on('message', ({ id, command }) => process.send({ id, response: COMMANDS[command]() ?? null }));
// The server ends as it would without the channel, and also if the test is gone.
process.channel.unref();
process.on('disconnect', () => process.exit());
