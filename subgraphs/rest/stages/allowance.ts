import { CodedError } from '../../../schema/errors.js';
import type { ServiceName } from '../../../schema/services.js';
import type { Stage } from '../call/call.js';

/** Takes each call from what its request may make; one that joins a call in flight is free. */
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
    'This request has used up the upstream calls that it may make. Request fewer items with `first`, or fewer joined fields; what was fetched is cached for the next request.';
  return new CodedError('COST_EXCEEDED', message, { service });
}
