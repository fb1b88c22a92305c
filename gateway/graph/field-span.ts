import type { Span } from '../../kernel/log.js';

/**
 * The span of one field's calls, for all of its rows. It begins with the first call and ends with the last one, so that
 * what took no call has none.
 */
export function createFieldSpan(
  request: Span,
  { place, subgraph }: { readonly place: string; readonly subgraph: string },
): Span {
  let open: Span | null = null;
  let calls = 0;

  function begin(): Span {
    open ??= request.child(`field ${subgraph}`, { 'passerelle.subgraph': subgraph, 'passerelle.place': place });
    return open;
  }

  return {
    get traceparent() {
      return (open ?? request).traceparent;
    },
    child(name, attributes) {
      const call = begin().child(name, attributes);
      calls += 1;
      return {
        traceparent: call.traceparent,
        child: call.child,
        end(...how) {
          call.end(...how);
          calls -= 1;
          if (calls > 0) return;
          open?.end();
          open = null;
        },
      };
    },
    end: () => open?.end(),
  };
}
