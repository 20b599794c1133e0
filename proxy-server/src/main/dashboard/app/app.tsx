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
import { Button, Failed, Page, Skeleton, Toasts } from '../ui';
import { setApiHooks } from './api';
import { ApiError } from './errors';
import { ProofDialog, prove } from './proof';
import { go, place } from './router';
import { match, PATHS, PUBLIC, type PageName } from './routes';
import type { OrgPageProps } from './org-view';
import { loadMeta, loadSession, meta, session, toSignIn, useOrg, useVisit } from './session';
import { Shell } from './shell';
import type { Permission } from './types';

/** Pages about the organization in view, with the permission that each needs. */
const ORG_PAGES: Partial<Record<PageName, [ComponentType<OrgPageProps>, Permission]>> = {
  requests: [RequestsPage, 'org_read'],
  request: [RequestPage, 'org_read'],
  keys: [KeysPage, 'org_read'],
  keyNew: [KeyNewPage, 'keys_write_own'],
  key: [KeyPage, 'org_read'],
  webhooks: [WebhooksPage, 'org_read'],
  credits: [CreditsPage, 'org_read'],
  members: [MembersPage, 'org_read'],
  organization: [OrganizationPage, 'org_read'],
  audit: [AuditPage, 'audit_read'],
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
  const [failure, setFailure] = useState<ApiError | null>(null);
  const { path } = place.use();
  const who = session.use();
  const known = meta.use();
  const { page, id } = match(path);
  const begin = () => {
    setFailure(null);
    loadMeta()
      .then(async (loaded) => {
        if (loaded.setup_required) {
          session.set(null);
          if (match(location.pathname).page !== 'setup') {
            go(PATHS.setup, true);
          }
          return;
        }
        await loadSession();
      })
      .catch((error: ApiError) => {
        session.set(session.get() ?? null);
        if (error.status !== 401) {
          setFailure(error);
        }
      });
  };
  useEffect(begin, []);
  let content;
  if (failure) {
    content = <main class="alone"><Failed error={failure} onRetry={begin} /></main>;
  } else if (PUBLIC.has(page)) {
    const Public = PUBLIC_PAGES[page!]!;
    content = known === null ? <main class="alone"><Skeleton rows={4} /></main> : <main class="alone"><Public /></main>;
  } else if (!who) {
    content = <main class="alone"><Skeleton rows={4} /></main>;
  } else {
    content = <Shell page={page}><Inner page={page} id={id} /></Shell>;
  }
  return (
    <>
      {content}
      <Toasts />
      <ProofDialog />
    </>
  );
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
  const entry = page === null ? undefined : ORG_PAGES[page];
  if (!entry) {
    return <Page title={t.notFound.title}><p>{t.notFound.text}</p></Page>;
  }
  if (!view && visit) {
    return visit.error ? <Failed error={visit.error} onRetry={visit.reload} /> : <Skeleton rows={6} />;
  }
  if (!view) {
    return <Page title={t.noOrg.title}><p>{operator ? t.noOrg.operator : t.noOrg.text}</p></Page>;
  }
  const [Content, permission] = entry;
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
  const [Loaded, setLoaded] = useState<{ page?: ComponentType; isFailed: boolean }>({ isFailed: false });
  const begin = () => {
    setLoaded({ isFailed: false });
    load().then((page) => setLoaded({ page, isFailed: false }), () => setLoaded({ isFailed: true }));
  };
  useEffect(begin, []);
  if (Loaded.isFailed) {
    return (<div class="failed" role="alert"><p>{t.codes.offline}</p><Button onClick={begin}>{t.states.again}</Button></div>);
  }
  return Loaded.page ? <Loaded.page /> : <Skeleton rows={6} />;
}
