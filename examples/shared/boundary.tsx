import { Component, type ReactNode } from 'react';
import { explain, type GatewayError } from './errors.js';

/** Shows, in place of what it encloses, the error that was thrown there. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly failed: GatewayError | null }> {
  override state: { readonly failed: GatewayError | null } = { failed: null };

  static getDerivedStateFromError(failed: GatewayError) {
    return { failed };
  }

  override render() {
    const { failed } = this.state;
    return failed === null ? this.props.children : <p role="alert">{explain(failed)}</p>;
  }
}
