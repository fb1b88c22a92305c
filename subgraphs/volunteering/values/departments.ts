import { ownValue } from '../../../kernel/text.js';
import { type Department, departmentByCode, departmentByName, departmentMeant } from '../../codes/departments.js';
import { foldPlaceName } from '../../codes/places.js';
import { badUserInput, checkLength, eachItem, together } from '../../graph/arguments.js';
import type { QueryMissionsArgs } from '../__generated__/resolvers.js';

type Words = readonly string[] | null | undefined;

/** Longest name considered. */
const MAX_NAME_LENGTH = 500;

/**
 * What the service writes instead of the official name, by code: the label in its table today, then those of older
 * records (volunteering 8). The service compares exactly, so all are sent along with the official name.
 */
const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  '22': ["Côtes d'Armor", "Côtesd'Armor"],
  '90': ['TerritoiredeBelfort'],
  '93': ['Seine-St-Denis'],
  '95': ["Val-D'Oise"],
  '986': ['Wallis-et-Futuna'],
  '989': ['Clipperton'],
};

const byOtherSpelling = new Map(
  Object.entries(OTHER_SPELLINGS).flatMap(([code, names]) => names.map((name) => [foldPlaceName(name), code] as const)),
);

/** The arguments that name départements, by official codes, and by official names or the service's spellings. */
type DepartmentFilter = Pick<QueryMissionsArgs, 'department' | 'departmentName'>;

/** The départements with these official codes. Throws `BAD_USER_INPUT` for an unknown code, suggesting the nearest. */
export function departmentsOf(codes: Words): Department[] {
  return departmentsEach('department', codes, (code, argument) => {
    const department = departmentByCode(code);
    if (department !== undefined) return department;
    throw badUserInput(argument, `is not the code of a département${departmentMeant(code)}`);
  });
}

/**
 * Every name under which the service may know the requested départements; empty when none is requested. Throws
 * `BAD_USER_INPUT` for a value that is not a département, and when the two arguments have none in common.
 */
export function departmentSpellings(filter: DepartmentFilter): string[] {
  const requested = together(
    () => departmentsOf(filter.department),
    () => departmentsNamed(filter.departmentName),
  ).filter((departments) => departments.length > 0);
  const [first = [], second = first] = requested;
  const common = first.filter(({ code }) => second.some((other) => other.code === code));
  if (common.length < 1 && requested.length > 0) {
    throw badUserInput('department', 'and departmentName have no département in common');
  }
  return [...new Set(common)].flatMap(({ code, nom }) => [...(ownValue(OTHER_SPELLINGS, code) ?? []), nom]);
}

/** The département that the service means by a name, its own or the official one; undefined if it is not French. */
export function departmentWrittenAs(name: string): Department | undefined {
  return departmentByName(name) ?? departmentByCode(byOtherSpelling.get(foldPlaceName(name)) ?? '');
}

function departmentsNamed(names: Words): Department[] {
  return departmentsEach('departmentName', names, (name, argument) => {
    const department = departmentWrittenAs(name);
    if (department !== undefined) return department;
    throw badUserInput(argument, `is not the name of a département${departmentMeant(name, ({ nom }) => nom)}`);
  });
}

/** One département per value. */
function departmentsEach(
  name: keyof DepartmentFilter,
  values: Words,
  read: (value: string, argument: string) => Department,
): Department[] {
  return eachItem(name, values, (argument, value) => {
    checkLength(argument, value, { min: 1, max: MAX_NAME_LENGTH });
    return read(value, argument);
  });
}
