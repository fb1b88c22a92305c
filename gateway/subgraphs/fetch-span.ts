import type { Span } from '../../kernel/log.js';
import { isPromise } from '../../kernel/ready.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';
import type { GatewayRequest } from '../request/request.js';

type Response = SubgraphResponse | Promise<SubgraphResponse>;

/** Runs one fetch of a plan in a span of the request's trace; without a trace, only runs it. */
export function asFetch(
  { span: request }: GatewayRequest,
  { subgraph, planNode }: { readonly subgraph: string; readonly planNode: string },
  run: (span?: Span) => Response,
): Response {
  if (request === null) return run();
  const span = request.child(`fetch ${subgraph}`, {
    'passerelle.subgraph': subgraph,
    'passerelle.plan_node': planNode,
  });
  const ended = (response: SubgraphResponse) => {
    span.end({ 'passerelle.errors': response.errors?.length ?? 0 });
    return response;
  };
  try {
    const response = run(span);
    if (!isPromise(response)) return ended(response);
    return response.then(ended, (error: unknown) => {
      span.end({}, 'failed');
      throw error;
    });
  } catch (error) {
    span.end({}, 'failed');
    throw error;
  }
}
