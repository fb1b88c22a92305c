import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { defineTexts, useTexts } from '../state/language.js';
import { Button } from './controls.js';

interface BoundaryProps {
  children: ReactNode;
  /** The part is tried again when one of them changes. */
  resetOn?: unknown[];
}

/** Shows what happened in place of a part that failed, so that the rest of the page stays. */
export function Boundary({ children, resetOn = [] }: BoundaryProps) {
  return (
    <ErrorBoundary FallbackComponent={Failed} resetKeys={resetOn}>
      {children}
    </ErrorBoundary>
  );
}

function Failed({ error, resetErrorBoundary }: FallbackProps) {
  const texts = useTexts(ELEMENT_TEXTS);
  return (
    <div className="pa-failed">
      <p role="alert">
        {texts.failed} <span lang="en">{error instanceof Error ? error.message : String(error)}</span>
      </p>
      <p>{texts.reloadHint}</p>
      <span className="pa-buttons">
        <Button onClick={resetErrorBoundary}>{texts.retry}</Button>
        <Button onClick={() => window.location.reload()}>{texts.reload}</Button>
      </span>
    </div>
  );
}

/** Texts in place of a part of the page that failed. */
const ELEMENT_TEXTS = defineTexts({
  en: {
    failed: 'This part of the page failed:',
    reloadHint: 'If it fails again, load the page again: it comes back with the queries of its tabs.',
    retry: 'Try again',
    reload: 'Load the page again',
  },
  fr: {
    failed: 'Cette partie de la page a échoué :',
    reloadHint: 'Si elle échoue encore, rechargez la page : elle revient avec les requêtes de ses onglets.',
    retry: 'Réessayer',
    reload: 'Recharger la page',
  },
});
