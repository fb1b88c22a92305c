import { CodedError } from '../../../schema/errors.js';
import type { ServiceName } from '../../../schema/services.js';
import type { Stage } from '../call/call.js';

/** Charges each call to its request's allowance; a call that joins one in flight is free. */
export function allowance(service: ServiceName): Stage {
  return (next) => async (call) => {
    const { allowance: allowed } = call.operation;
    if (allowed?.take() === false) throw allMade(service);
    const response = next(call);
    if (call.trail.cache === 'COALESCED') allowed?.giveBack();
    return response;
  };
}

function allMade(service: ServiceName): CodedError {
  const message =
    'All upstream calls that this request may make were made before this one. Request fewer items with `first`, or fewer joined fields; what was fetched is cached for who asks again.';
  return new CodedError('COST_EXCEEDED', message, { service });
}
