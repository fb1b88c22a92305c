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
    'This request has made all the upstream calls that it may. Select fewer items with `first`, or fewer joined fields; what was already fetched is cached.';
  return new CodedError('COST_EXCEEDED', message, { service });
}
