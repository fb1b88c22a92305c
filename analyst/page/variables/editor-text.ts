import { useCallback, useSyncExternalStore } from 'react';

/** An editor of GraphiQL, as far as its text is concerned. */
interface TextEditor {
  getValue(): string;
  onDidChangeModelContent(listener: () => void): { dispose(): void };
}

/** The text of an editor, updated with every change. */
export function useEditorText(editor: TextEditor | undefined): string {
  const watch = useCallback(
    (listener: () => void) => {
      const watching = editor?.onDidChangeModelContent(listener);
      return () => watching?.dispose();
    },
    [editor],
  );
  return useSyncExternalStore(watch, () => editor?.getValue() ?? '');
}
