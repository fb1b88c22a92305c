import { usageOf } from './measure.js';
import { startLoad, startServer, startUpstreams } from './processes.js';
import { untilComplete } from './sending.js';
import { createVariantStarter, environmentOf, productCommand, type Variant } from './variants.js';

const roots = process.argv.slice(2);
const upstreams = await startUpstreams();
const starter = createVariantStarter(upstreams);
const load = startLoad();
const variants: Variant[] = [];
for (const root of roots) {
  if (root === 'stock' || root === 'by-hand') variants.push(await starter.start(root as never));
  else {
    const [r, flag] = root.split('+');
    if (flag === 'prof') {
      await upstreams.openWindows();
      const s = await startServer({
        command: [
          ...(process.env['NODEFLAGS'] ?? '--cpu-prof --cpu-prof-dir=/tmp/m/prof').split(' '),
          ...productCommand('start', r),
        ],
        env: environmentOf(upstreams),
      });
      variants.push({ name: root, speaks: 'GraphQL', servers: [s] });
    } else variants.push(await starter.startOther(root, r!));
  }
}
await Promise.all(variants.map(untilComplete));
const F =
  'nodes { id title commune { nom departement { nom } } organization { title siret workplaces { name siret } jobOffers(first: $n) { nodes { __typename } } } }';
const ops: Record<string, object> = {
  unseen: { query: `query P($n: Int) { missions(first: 20) { ${F} } }`, variables: { n: 5, page: '000000000' } },
  join: {
    query:
      '{ missions(first: 20) { nodes { id title commune { nom departement { nom } } organization { title siret workplaces { name siret } } } } }',
  },
  document: {
    query:
      'query Page000000000 { missions(first: 20) { nodes { id title commune { nom departement { nom } } organization { title siret workplaces { name siret } } } } }',
  },
  lookup: {
    query: 'query C($insee: INSEECode!) { commune(insee: $insee) { nom departement { nom } academie { nom } } }',
    variables: { insee: upstreams.inseeCodes[3], page: '000000000' },
  },
  again: {
    query: 'query C($insee: INSEECode!) { commune(insee: $insee) { nom departement { nom } academie { nom } } }',
    variables: { insee: upstreams.inseeCodes[3] },
  },
  trivial: { query: '{ __typename }' },
};
const names = (process.env['OPS'] ?? 'unseen,lookup,document').split(',');
const seconds = Number(process.env['SECONDS'] ?? 2);
const rounds = Number(process.env['ROUNDS'] ?? 4);
for (const name of names) {
  const requests =
    name === 'unseen'
      ? Array.from({ length: 1000 }, (_, i) => ({
          path: '/graphql',
          body: JSON.stringify({ ...(ops[name] as object), variables: { n: i + 1, page: '000000000' } }),
          encoding: '',
        }))
      : [{ path: '/graphql', body: JSON.stringify(ops[name]), encoding: '' }];
  const run = (v: Variant, job: object) =>
    load.run({ port: Number(new URL(v.servers[0].url).port), requests, connections: 16, ...job });
  for (const v of variants) await run(v, { count: 3000, seconds: 8 });
  const found = new Map<Variant, number[]>(variants.map((v) => [v, []]));
  for (let r = 0; r < rounds; r++)
    for (const v of variants) {
      const before = await usageOf(v);
      const { answered } = await run(v, { seconds });
      const after = await usageOf(v);
      found.get(v)!.push((after.cpuMs - before.cpuMs) / answered);
    }
  const med = (a: number[]) => [...a].sort((x, y) => x - y)[Math.floor(a.length / 2)]!;
  if (process.env['ALL'])
    console.log(
      name,
      variants
        .map((v) =>
          found
            .get(v)!
            .map((x) => x.toFixed(2))
            .join(' '),
        )
        .join(' | '),
    );
  console.log(
    name.padEnd(10),
    variants
      .map(
        (v) =>
          `${v.name.split('/').slice(-2).join('/')}: ${med(found.get(v)!).toFixed(3)} ms (${Math.min(...found.get(v)!).toFixed(3)})`,
      )
      .join('   '),
  );
}
for (const v of variants) {
  try {
    process.kill(v.servers[0].pid, 'SIGTERM');
  } catch {}
}
setTimeout(() => process.exit(), 3000);
