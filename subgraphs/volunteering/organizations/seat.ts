import { departmentByCode } from '../../codes/departments.js';
import { departmentOfInsee } from '../../codes/insee.js';
import { departmentOfPostalCode, isPostalCode } from '../../codes/postal.js';
import { orNull } from '../../rest/responses/shape.js';
import type { OrganizationView } from './shapes.js';

/**
 * Code of the département of an organization's seat: by its INSEE code, else its postal code, of which the register
 * drops leading zeros, else the source's own code. Null when none gives a département (volunteering 9).
 */
export function seatDepartment(organization: OrganizationView): string | null {
  const readers = [
    () => departmentOfCode(organization),
    () => departmentOfPost(organization.addressPostalCode),
    () => organization.addressDepartmentCode,
  ];
  for (const read of readers) {
    const code = orNull(read);
    if (code !== null && departmentByCode(code) !== undefined) return code;
  }
  return null;
}

/** Null also if the postal code is written in its place: as an INSEE code, 75011 is in 94. */
function departmentOfCode({ addressInseeCode, addressPostalCode }: OrganizationView): string | null {
  const code = addressInseeCode ?? '';
  return code === addressPostalCode ? null : departmentOfInsee(code);
}

function departmentOfPost(code: string | null): string | null {
  const postalCode = code?.padStart(5, '0') ?? '';
  return isPostalCode(postalCode) ? departmentOfPostalCode(postalCode) : null;
}
