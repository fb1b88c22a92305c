// Preloaded into the built server: watches its event loop and its memory, and answers the test over IPC.
import { subscribe } from 'node:diagnostics_channel';
import { openSync, readSync } from 'node:fs';

/** Fine beside the limits, which are ten times as long, and rare enough to cost less than a hundredth of a core. */
const TICK_MS = 10;
/** Between two notes at most, unless the loop stands still: waits are compared that take a few of them. */
const NOTE_MS = 1;

const readThreadMs = openThreadClock();
let last = readClocks();
let peaks = noPeaks();
/** When the main thread had worked for how long: two numbers each, in milliseconds. Null while nobody wants to know. */
let notes = null;
let noting;

setInterval(tick, TICK_MS).unref();
for (const event of ['http.server.request.start', 'http.server.response.finish']) subscribe(event, takeNote);

function tick() {
  const now = readClocks();
  // Another process may take the core away, which wall time shows alone; helper threads burn time of the process alone.
  const stallMs = Math.min(now.wallMs - last.wallMs - TICK_MS, now.cpuMs - last.cpuMs, now.threadMs - last.threadMs);
  last = now;
  const { heapUsed, external, rss } = process.memoryUsage();
  peaks.stallMs = Math.max(peaks.stallMs, stallMs);
  peaks.heapBytes = Math.max(peaks.heapBytes, heapUsed);
  peaks.outsideBytes = Math.max(peaks.outsideBytes, external);
  peaks.residentBytes = Math.max(peaks.residentBytes, rss);
}

function takeNote() {
  if (notes === null) return;
  // The system adds up what a thread has run every few milliseconds, and when the thread itself asks.
  process.cpuUsage();
  notes.push(Number(process.hrtime.bigint()) / 1e6, readThreadMs());
}

function readClocks() {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000, threadMs: readThreadMs() };
}

/** Milliseconds that this thread has run, to a few milliseconds; only Linux tells. */
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

/** The work that limits are multiples of: what a gateway mostly does, rows written as JSON, read again and walked. */
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

/** Milliseconds that one piece of that work takes now: the median, so that a collection or a busy moment is no measure. */
function calibrate() {
  const times = Array.from({ length: 5 }, () => {
    const before = readClocks();
    work();
    const after = readClocks();
    return Math.min(after.wallMs - before.wallMs, after.cpuMs - before.cpuMs);
  });
  last = readClocks();
  return times.sort((a, b) => a - b)[2];
}

/** What is still held once young garbage is gone: old garbage counts, and it takes a hundredth of the time. */
function sweep() {
  globalThis.gc({ type: 'minor' });
  return held();
}

/** What is still held once garbage is gone, but for buffers: what the first finds of them is given back by the second. */
function collectOnce() {
  globalThis.gc();
  return held();
}

/** What is still held once garbage is gone. */
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
// The server ends as it would without a test that listens, and also when the test is gone.
process.channel.unref();
process.on('disconnect', () => process.exit());
