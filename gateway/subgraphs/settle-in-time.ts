import type { GatewayRequest } from '../request/request.js';

/** The work's own outcome, or the reason for which its request is cut off when that comes first. */
export function settleInTime<T>(work: Promise<T>, request: GatewayRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = request.onCutoff(reject);
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
