import type { GatewayRequest } from './request.js';

/** Settles like `work`, or rejects with the reason why the request was cut off if that happens first. */
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
