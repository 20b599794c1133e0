import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/en';
import { AccountPage } from '../pages/account';
import { AuditPage } from '../pages/audit';
import { CreditsPage } from '../pages/credits';
import { KeyPage } from '../pages/key';
import { KeyNewPage } from '../pages/key-new';
import { KeysPage } from '../pages/keys';
import { InvitePage } from '../pages/link-invite';
import { ResetPage, VerifyPage } from '../pages/links';
import { MembersPage } from '../pages/members';
import { OrganizationPage } from '../pages/organization';
import { RequestPage } from '../pages/request';
import { RequestsPage } from '../pages/requests';
import { SetupPage } from '../pages/setup';
import { SignInPage } from '../pages/sign-in';
import { WebhooksPage } from '../pages/webhooks';
import { Failed, Page, Skeleton, Toasts } from '../ui';
import { setApiHooks } from './api';
import { ApiError } from './errors';
import { useAction } from './load';
import { ProofDialog, prove } from './proof';
import { go, place } from './router';
import { match, PATHS, permissionOf, PUBLIC, type PageName } from './routes';
import type { OrgPageProps } from './org-view';
import { loadMeta, loadSession, meta, session, toSignIn, useOrg, useVisit } from './session';
import { Shell } from './shell';

/** Pages about the organization in view. */
const ORG_PAGES: Partial<Record<PageName, ComponentType<OrgPageProps>>> = {
  requests: RequestsPage,
  request: RequestPage,
  keys: KeysPage,
  keyNew: KeyNewPage,
  key: KeyPage,
  webhooks: WebhooksPage,
  credits: CreditsPage,
  members: MembersPage,
  organization: OrganizationPage,
  audit: AuditPage,
};

const PUBLIC_PAGES: Partial<Record<PageName, ComponentType>> = {
  signIn: () => <SignInPage />,
  setup: SetupPage,
  verify: VerifyPage,
  reset: ResetPage,
  invite: InvitePage,
};

/** Pages of operators, in a file of their own that others do not load. */
const OPERATOR_PAGES: Partial<Record<PageName, () => Promise<ComponentType>>> = {
  operatorOrgs: () => import('../pages/operator').then((file) => file.OperatorOrgsPage),
  operatorUsers: () => import('../pages/operator').then((file) => file.OperatorUsersPage),
};

setApiHooks({ signedOut: toSignIn, prove });

export function App() {
  const { path } = place.use();
  const who = session.use();
  const { page, id } = match(path);
  const begin = useAction(async () => {
    if (!(await loadMeta()).setup_required) {
      await loadSession();
      return;
    }
    session.set(null);
    if (match(location.pathname).page !== 'setup') {
      go(PATHS.setup, true);
    }
  });
  useEffect(() => begin.run(), []);
  const failure = begin.error?.status === 401 ? undefined : begin.error;
  return (
    <>
      {failure || PUBLIC.has(page) || !who ? (
        <main class="alone"><Alone page={page} failure={failure} onRetry={() => begin.run()} /></main>
      ) : <Shell page={page}><Inner page={page} id={id} /></Shell>}
      <Toasts />
      <ProofDialog />
    </>
  );
}

/** What is shown without the shell. */
function Alone({ page, failure, onRetry }: { page: PageName | null; failure: ApiError | undefined; onRetry(): void }) {
  const isKnown = meta.use() !== null;
  if (failure) {
    return <Failed error={failure} onRetry={onRetry} />;
  }
  const Public = page === null ? undefined : PUBLIC_PAGES[page];
  return Public && isKnown ? <Public /> : <Skeleton rows={4} />;
}

function Inner({ page, id }: { page: PageName | null; id: string }) {
  const view = useOrg();
  const visit = useVisit();
  const operator = session.use()?.operator === true;
  if (page === 'account') {
    return <AccountPage />;
  }
  if (page !== null && OPERATOR_PAGES[page]) {
    return operator ? <Lazy key={page} load={OPERATOR_PAGES[page]} /> : <Denied needs={t.roles.operator} />;
  }
  const Content = page === null ? undefined : ORG_PAGES[page];
  if (!Content || page === null) {
    return <Page title={t.notFound.title}><p>{t.notFound.text}</p></Page>;
  }
  if (!view && visit) {
    return visit.error ? <Failed error={visit.error} onRetry={visit.reload} /> : <Skeleton rows={6} />;
  }
  if (!view) {
    return <Page title={t.noOrg.title}><p>{operator ? t.noOrg.operator : t.noOrg.text}</p></Page>;
  }
  const permission = permissionOf(page);
  if (!view.may(permission)) {
    return <Denied needs={t.needs[permission] ?? t.roles.admin} />;
  }
  return <Content key={`${view.org.id} ${page} ${id}`} view={view} id={id} />;
}

/** A deep link to what the role may not do: says which role may. */
function Denied({ needs }: { needs: string }) {
  return (<Page title={t.denied.title}><p>{t.denied.text(needs)}</p></Page>);
}

function Lazy({ load }: { load(): Promise<ComponentType> }) {
  const [Loaded, setLoaded] = useState<{ page: ComponentType } | null>(null);
  const loading = useAction(async () => {
    const page = await load().catch(() => Promise.reject(new ApiError(0, 'offline', t.codes.offline!)));
    setLoaded({ page });
  });
  useEffect(() => loading.run(), []);
  if (loading.error) {
    return <Failed error={loading.error} onRetry={() => loading.run()} />;
  }
  return Loaded ? <Loaded.page /> : <Skeleton rows={6} />;
}
