import type { GatewayRequest } from './request.js';

/** Settles like `work`, or rejects with the reason for the cut-off if the request is cut off first. */
export function settleInTime<T>(work: PromiseLike<T>, request: Pick<GatewayRequest, 'onCutoff'>): Promise<T> {
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
