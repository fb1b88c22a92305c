import { Component, type ReactNode } from 'react';
import { useTexts } from '../language/texts.js';
import { ELEMENT_TEXTS } from './texts.js';

interface BoundaryProps {
  children: ReactNode;
  /** The part is tried again when one of them changes. */
  resetOn?: readonly unknown[];
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | null;
}

/** Shows what happened in place of a part that failed, so that the rest of the page stays. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidUpdate({ resetOn = [] }: BoundaryProps): void {
    const isOther = this.props.resetOn?.some((value, index) => value !== resetOn[index]);
    if (isOther && this.state.failure !== null) this.setState({ failure: null });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return <Failed error={failure.error} onRetry={() => this.setState({ failure: null })} />;
  }
}

function Failed({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const texts = useTexts(ELEMENT_TEXTS);
  return (
    <div className="pa-failed">
      <p role="alert">
        {texts.failed} <span lang="en">{error instanceof Error ? error.message : String(error)}</span>
      </p>
      <p>{texts.reloadHint}</p>
      <span className="pa-buttons">
        <button type="button" onClick={onRetry}>
          {texts.retry}
        </button>
        <button type="button" onClick={() => window.location.reload()}>
          {texts.reload}
        </button>
      </span>
    </div>
  );
}
