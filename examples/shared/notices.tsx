import { explainAll, type GatewayError } from './errors.js';

/** What went wrong, in words for a user. */
export function Notices({ errors }: { readonly errors: readonly GatewayError[] }) {
  return explainAll(errors).map((text) => (
    <p role="alert" key={text}>
      {text}
    </p>
  ));
}
