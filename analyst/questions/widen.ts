import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Composed, compose, type Known } from './compose.js';
import { type Question, readPlace, withValues, writePlace } from './question.js';

/** A question that is less narrow than another: without one of its criteria, or further around its commune. */
export interface Wider {
  readonly question: Question;
  /** The criterion that it leaves out or widens. */
  readonly criterion: string;
  readonly isFurther: boolean;
}

/** Kilometres to which a search around a commune is widened: what the services allow. */
const FURTHEST = 200;

/** The questions that leave out one criterion, and the one that looks further. */
export function widerThan(question: Question): Wider[] {
  const names = Object.keys(question.criteria).filter((name) => name !== 'first');
  const place = readPlace(question.criteria['place']?.[0] ?? '');
  const further =
    place?.kind === 'commune' && place.radius !== null
      ? [withValues(question, 'place', [writePlace({ ...place, radius: FURTHEST })])]
      : [];
  return [
    ...further.map((wider) => ({ question: wider, criterion: 'place', isFurther: true })),
    ...names.map((name) => ({ question: withValues(question, name, []), criterion: name, isFurther: false })),
  ];
}

/** One request that counts the rows of several questions: those that can be composed and have a list in pages. */
export function countingRequest(wider: readonly Wider[], known: Known) {
  const operations = wider.flatMap((one, at) => {
    const { composed } = compose({ ...one.question, form: 'list' }, known);
    const isPaged = composed !== null && /\.(?:nodes|edges)\[\]$/.test(composed.path) && composed.where.length === 0;
    return isPaged ? [{ ...one, key: `q${at}`, composed, operation: countOf(composed, `q${at}`) }] : [];
  });
  const definitions = operations.flatMap(({ operation }) => operation.variableDefinitions ?? []);
  const selections = operations.flatMap(({ operation }) => operation.selectionSet.selections);
  const [first] = operations;
  if (first === undefined) return null;
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      { ...first.operation, variableDefinitions: definitions, selectionSet: { kind: Kind.SELECTION_SET, selections } },
    ],
  };
  const variables = operations.flatMap(({ composed, key }) =>
    Object.entries({ ...composed.variables, first: 1 }).map(([name, value]) => [`${name}_${key}`, value] as const),
  );
  return { query: print(document), variables: Object.fromEntries(variables), operationName: 'Wider', of: operations };
}

/** The operation of a question with its variables renamed, and of its list only the number of rows and the nearest. */
function countOf({ query, path }: Composed, key: string): OperationDefinitionNode {
  const steps = path.replaceAll('[]', '').split('.');
  const connection = steps.at(-2);
  const document: DocumentNode = visit(parse(query, { noLocation: true }), {
    OperationDefinition: (node) => ({ ...node, name: { kind: Kind.NAME, value: 'Wider' } }),
    Variable: (node) => ({ ...node, name: { ...node.name, value: `${node.name.value}_${key}` } }),
    Field(node): FieldNode | undefined {
      return node.name.value === connection ? { ...node, selectionSet: counted(node) } : undefined;
    },
  });
  const [operation] = document.definitions as readonly OperationDefinitionNode[];
  if (operation === undefined) throw new Error('A composed query has one operation.');
  const [root] = operation.selectionSet.selections as readonly FieldNode[];
  const aliased = root && { ...root, alias: { kind: Kind.NAME as const, value: key } };
  return { ...operation, selectionSet: { ...operation.selectionSet, selections: aliased ? [aliased] : [] } };
}

/** `totalCount`, and the distance of the first row where there is one. */
function counted({ selectionSet }: FieldNode): SelectionSetNode {
  const selections = (selectionSet?.selections ?? []).flatMap((node): FieldNode[] => {
    if (node.kind !== Kind.FIELD) return [];
    if (node.name.value === 'totalCount') return [node];
    if (!/^(?:nodes|edges)$/.test(node.name.value)) return [];
    const inner = (node.selectionSet?.selections ?? []).filter(
      (one) => one.kind === Kind.FIELD && one.name.value === 'distance',
    );
    const name = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } } as const;
    return [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections: [name, ...inner] } }];
  });
  return { kind: Kind.SELECTION_SET, selections };
}
