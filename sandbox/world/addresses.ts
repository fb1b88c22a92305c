import type { Place } from './geography.js';
import type { Random } from './random.js';
import { streetNames, streetTypes } from './words.js';

/** A street with a number. The RNA abbreviates `type` (volunteering 9, row `addressType`); `typeName` is in full. */
export interface Street {
  readonly number: string;
  readonly type: string;
  readonly typeName: string;
  readonly name: string;
}

/** Draws a random street with a number. */
export function drawStreet(random: Random): Street {
  const [type, typeName] = random.pick(streetTypes);
  return { number: String(1 + random.int(120)), type, typeName, name: random.pick(streetNames) };
}

/** `12 Rue des Lilas`. */
export function streetLine({ number, typeName, name }: Street): string {
  return `${number} ${typeName} ${name}`;
}

/** A postal code of the commune; null for islands that have none. */
export function drawPostalCode({ postaux }: Place, random: Random): string | null {
  return postaux.length === 0 ? null : random.pick(postaux);
}

/** A number from the ranges that the telephone authority reserves for fiction, so that nobody is called. */
export function drawPhone(random: Random): string {
  return `${random.pick(['0199', '0261', '0353', '0465', '0536'])}${random.digits(6)}`;
}
