import { describe, expect, test } from 'vitest';
import { chooseList, findLists, listSteps } from '../../rows/lists.js';
import { columnsAt, readTable, rowsAt } from './support.js';

const COMMUNES = {
  communes: [
    {
      nom: 'Gasny',
      code: { insee: '27279', postaux: ['27620', '27630'] },
      missions: {
        totalCount: 2,
        pageInfo: { hasNextPage: false, endCursor: 'x' },
        nodes: [
          { id: '1', title: 'Lire', organization: { siret: null, workplaces: [{ name: 'A' }, { name: 'B' }] } },
          { id: '2', title: 'Planter', organization: null },
        ],
      },
    },
    { nom: 'Limetz', code: { insee: '78337', postaux: [] }, missions: { totalCount: 0, nodes: [] } },
  ],
};

describe('The lists of a response', () => {
  test('are found at any depth, of all parents together, the largest first', () => {
    expect(findLists(COMMUNES)).toEqual([
      { path: 'communes[]', count: 2 },
      { path: 'communes[].missions.nodes[]', count: 2 },
      { path: 'communes[].missions.nodes[].organization.workplaces[]', count: 2 },
    ]);
  });

  test('leave out lists of plain values and rings of positions', () => {
    const data = { commune: { postaux: ['1'], bbox: { coordinates: [[[1, 2]]] }, missions: { nodes: [] } } };
    expect(findLists(data)).toEqual([{ path: 'commune.missions.nodes[]', count: 0 }]);
  });

  test.each(['communes[].missions.nodes[]', 'communes.missions.nodes', 'communes.missions', 'data.communes.missions'])(
    'answer to the name %s',
    (name) => {
      expect(chooseList(COMMUNES, name)).toEqual({ path: 'communes[].missions.nodes[]' });
    },
  );

  test('without a name mean the first one with pages, else the largest, or else the whole response as one row', () => {
    const two = [{ id: '1', places: [{ x: 1 }, { x: 2 }] }, { id: '2' }];
    const paged = { all: [{ nodes: two }], nodes: two, area: { totalCount: 9, missions: { edges: two, nodes: two } } };
    expect(chooseList(paged, undefined)).toEqual({ path: 'area.missions.edges[]' });
    expect(chooseList({ a: [{ b: 1 }], c: [{ d: 1 }, { d: 2 }] }, undefined)).toEqual({ path: 'c[]' });
    const single = { commune: { nom: 'Gasny' } };
    expect(chooseList(single, undefined)).toEqual({ path: '' });
    expect(rowsAt(single, '')).toEqual([{ 'commune.nom': 'Gasny' }]);
  });

  test('are empty where the response is null, and unknown where the query never asked', () => {
    expect(chooseList({ missions: null }, 'missions.nodes')).toEqual({ path: 'missions.nodes[]' });
    expect(rowsAt({ missions: null }, 'missions.nodes[]')).toEqual([]);
    expect(chooseList(COMMUNES, 'communes.mission')).toHaveProperty('unknown');
    expect(chooseList(COMMUNES, 'communes.nom')).toHaveProperty('unknown');
    const partly = { missions: [{ places: null }, { places: [] }, { title: '' }] };
    expect(chooseList(partly, 'missions.places')).toEqual({ path: 'missions[].places[]' });
    expect(chooseList(partly, 'missions.places.x')).toHaveProperty('unknown');
    const nowhere = { missions: [{ places: [null, { x: null }] }, { places: null }] };
    expect(chooseList(nowhere, 'missions.places.x.y')).toEqual({ path: 'missions.places.x.y[]' });
  });

  test('are looked for in steps, however many the rows', () => {
    const data = { missions: { nodes: Array.from({ length: 5_000 }, () => ({ places: null })) } };
    const search = listSteps(data);
    let steps = 0;
    let end = search.next();
    for (; end.done !== true; end = search.next()) steps += 1;
    expect(end.value).toEqual([{ path: 'missions.nodes[]', count: 5_000 }]);
    expect(steps).toBeGreaterThanOrEqual(50);
  });
});

describe('The rows of a list', () => {
  test('carry the values of their parents, so that each stands alone', () => {
    expect(rowsAt(COMMUNES, 'communes[].missions.nodes[].organization.workplaces[]')[1]).toEqual({
      'communes/nom': 'Gasny',
      'communes/code.insee': '27279',
      'communes/code.postaux': '27620 | 27630',
      'missions/id': '1',
      'missions/title': 'Lire',
      'missions/organization.siret': null,
      name: 'B',
    });
  });

  test('repeat a parent that is no list, but not what a connection counts', () => {
    const data = { commune: { nom: 'Gasny', missions: { totalCount: 9, nodes: [{ id: '1' }] }, region: { nom: 'N' } } };
    expect(rowsAt(data, 'commune.missions.nodes[]')).toEqual([
      { 'commune/nom': 'Gasny', 'commune/region.nom': 'N', id: '1' },
    ]);
    expect(columnsAt({ missions: { totalCount: 1, nodes: [{ id: '1' }] } }, 'missions.nodes[]')).toEqual(['id']);
  });

  test('show a count of a connection in the row that has it', () => {
    const data = { rows: [{ id: '1', jobOffers: { totalCount: 3, nodes: [{ a: 1 }], pageInfo: { endCursor: 'x' } } }] };
    expect(rowsAt(data, 'rows[]')).toEqual([{ id: '1', 'jobOffers.totalCount': 3 }]);
  });

  test('of edges are the nodes, with what the edge adds', () => {
    const data = {
      m: { edges: [{ distance: 1.5, cursor: 'c', node: { title: 'T', distance: 9, tags: [{ x: 1 }] } }] },
    };
    expect(rowsAt(data, 'm.edges[]')).toEqual([{ 'edge.distance': 1.5, 'edge.cursor': 'c', title: 'T', distance: 9 }]);
    expect(rowsAt(data, 'm.edges[].node.tags[]')[0]).toMatchObject({ 'm/title': 'T', x: 1 });
  });

  test('may be ragged: a null here is an object there, and keeps its place among the columns', () => {
    const data = { rows: [{ a: null, b: 1, c: [] }, { a: { x: 1, y: null }, b: null, c: ['k'] }, null, { d: true }] };
    expect(rowsAt(data, 'rows[]')).toEqual([
      { 'a.x': null, 'a.y': null, b: 1, c: '', d: null },
      { 'a.x': 1, 'a.y': null, b: null, c: 'k', d: null },
      { 'a.x': null, 'a.y': null, b: null, c: null, d: null },
      { 'a.x': null, 'a.y': null, b: null, c: null, d: true },
    ]);
  });

  test('of counts have beside them of how many missions they are', () => {
    const facets = { counted: 100, domains: [{ key: 'sport', docCount: 7 }] };
    expect(rowsAt({ missionSearch: { totalCount: 285, facets } }, 'missionSearch.facets.domains[]')).toEqual([
      { 'missionSearch/totalCount': 285, 'missionSearch/facets.counted': 100, key: 'sport', docCount: 7 },
    ]);
  });

  test('of lists in lists are pooled', () => {
    expect(rowsAt({ grid: [[{ a: 1 }], [{ a: 2 }, { a: 3 }]] }, 'grid[][]').map(({ a }) => a)).toEqual([1, 2, 3]);
  });

  test('number the inner of two parents with one name', () => {
    const data = { area: [{ nom: 'Nord', area: [{ nom: 'Lille', rows: [{ a: 1 }] }] }] };
    expect(rowsAt(data, 'area[].area[].rows[]')).toEqual([{ 'area/nom': 'Nord', 'area2/nom': 'Lille', a: 1 }]);
  });
});

describe('The positions of rows', () => {
  const data = {
    communes: [
      {
        nom: 'Gasny',
        centre: { type: 'Point', coordinates: [1.6, 49.1] },
        missions: [
          { location: { lon: 2.3, lat: 48.8 }, lonlat: [2.4, 48.9], pair: [1, 2] },
          { location: { lon: 0, lat: 0 }, lonlat: null, pair: [3, 4] },
          { location: null, lonlat: null, pair: null },
        ],
      },
    ],
  };

  test('are found in each form that the graph has, own ones first, and nowhere else', () => {
    const { positions } = readTable(data, 'communes[].missions[]');
    expect(positions.map(({ name }) => name)).toEqual(['location', 'lonlat', 'communes/centre']);
  });

  test('are those that an edge tells before those of its node, which has other addresses too', () => {
    const place = (lon: number) => ({ location: { lon, lat: 49 } });
    for (const edge of [
      { node: { city: 'Rouen', ...place(1) }, address: { city: 'Elbeuf', ...place(2) } },
      { address: { city: 'Elbeuf', ...place(2) }, node: { city: 'Rouen', ...place(1) } },
    ]) {
      const table = readTable({ missions: { edges: [edge] } }, 'missions.edges[]');
      expect(table.positions.map(({ name }) => name)).toEqual(['edge.address.location', 'location']);
      const [row] = table.rows();
      expect(table.positions[0] && row?.at(table.positions[0])).toEqual([2, 49]);
    }
  });

  test('are longitude and latitude; null and (0, 0) are none, longitude 0 is one', () => {
    const table = readTable(data, 'communes[].missions[]');
    const [location, , centre] = table.positions;
    const rows = [...table.rows()];
    expect(rows.map((row) => location && row.at(location))).toEqual([[2.3, 48.8], null, null]);
    expect(rows.map((row) => centre && row.at(centre))).toEqual([
      [1.6, 49.1],
      [1.6, 49.1],
      [1.6, 49.1],
    ]);
    const greenwich = readTable({ rows: [{ lon: 0, lat: 51.5 }] }, 'rows[]');
    expect([...greenwich.rows()].map((row) => greenwich.positions[0] && row.at(greenwich.positions[0]))).toEqual([
      [0, 51.5],
    ]);
  });

  test('of GeoJSON are two columns, longitude and latitude', () => {
    expect(rowsAt(data, 'communes[]')).toEqual([{ nom: 'Gasny', 'centre.lon': 1.6, 'centre.lat': 49.1 }]);
  });
});
