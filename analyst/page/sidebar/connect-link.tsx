import { useTexts } from '../language/texts.js';
import { activeTab } from '../state/page-state.js';
import { useActiveQuery } from '../tabs/active-query.js';
import { type SharedQuery, shareFragment } from '../tabs/sharing.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** Links to the waste platform's login, which returns to the current query. */
export function ConnectLink({ isAgain }: { isAgain: boolean }) {
  const texts = useTexts(SIDEBAR_TEXTS);
  const request = useActiveQuery();
  return (
    <a
      className="pa-link"
      href={loginAddress('/graphiql')}
      onClick={({ currentTarget }) => {
        currentTarget.href = loginAddress(returnPath({ ...request(), tab: activeTab.get() }));
      }}
    >
      {isAgain ? texts.connectAgain : texts.connect}
    </a>
  );
}

function loginAddress(returnTo: string): string {
  return `/auth/waste/login?${new URLSearchParams({ returnTo })}`;
}

/** Longest return path that the gateway accepts. */
const MAX_RETURN_LENGTH = 2000;

const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The target after the login. GraphiQL stores the queries of all tabs in the browser, by origin. On the user's own
 * machine the login may end at another origin, `127.0.0.1` instead of `localhost`, with other tabs: there the target
 * contains the current query. Elsewhere it does not, to keep queries out of server logs.
 */
function returnPath(request: SharedQuery): string {
  const path = `/graphiql${shareFragment(request)}`;
  return OWN_MACHINE.test(window.location.hostname) && path.length <= MAX_RETURN_LENGTH ? path : '/graphiql';
}
