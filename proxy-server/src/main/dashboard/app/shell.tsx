import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/en';
import { Button, usd, useClock, useNow } from '../ui';
import { waitingUntil } from './api';
import { useLoad } from './load';
import { Palette } from './palette';
import { place, setQuery, to } from './router';
import type { PageName } from './routes';
import type { OrgView } from './org-view';
import { rememberOrg, session, signOut, useOrg } from './session';
import type { Credits, Permission } from './types';

const NAV: [PageName, Permission][] = [
  ['requests', 'org_read'],
  ['keys', 'org_read'],
  ['webhooks', 'org_read'],
  ['credits', 'org_read'],
  ['members', 'org_read'],
  ['organization', 'org_read'],
  ['audit', 'audit_read'],
];
const OPERATOR_NAV: PageName[] = ['operatorOrgs', 'operatorUsers'];
const PARENTS: Partial<Record<PageName, PageName>> = { request: 'requests', key: 'keys', keyNew: 'keys' };
const CREDITS_EVERY_MILLIS = 60_000;

/** The frame of every page: side bar, top bar, banners. */
export function Shell({ page, children }: { page: PageName | null; children: ComponentChildren }) {
  const view = useOrg();
  const { path } = place.use();
  const [isOpen, setOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPaletteOpen(true);
      }
      if (event.key === 'Escape') {
        setOpen(false);
      }
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  return (
    <div class="shell">
      <a class="skip" href="#main">{t.shell.skip}</a>
      <nav class={`side ${isOpen ? 'is-open' : ''}`} aria-label={t.shell.pages} id="side">
        <p class="brand">Tollgate</p>
        <Nav page={page} view={view} />
      </nav>
      <div class="column">
        <header class="top">
          <button type="button" class="button plain menu" aria-expanded={isOpen} aria-controls="side" onClick={() => setOpen(!isOpen)}>
            {t.shell.menu}
          </button>
          <OrgChoice view={view} />
          <Button onClick={() => setPaletteOpen(true)}>
            {t.shell.jump} <kbd>Ctrl K</kbd>
          </Button>
          <span class="grow" />
          <ClockChoice />
          <AccountMenu />
        </header>
        <Banners view={view} />
        <main id="main" tabIndex={-1}>{children}</main>
      </div>
      {isPaletteOpen && <Palette view={view} pages={pagesOf(view)} onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

function pagesOf(view: OrgView | null): PageName[] {
  const own = NAV.filter(([, permission]) => view?.may(permission)).map(([name]) => name);
  return [...own, ...(session.get()?.operator ? OPERATOR_NAV : []), 'account'];
}

function Nav({ page, view }: { page: PageName | null; view: OrgView | null }) {
  const current = page === null ? null : (PARENTS[page] ?? page);
  const item = (name: PageName) => (
    <li key={name}><a href={to(name)} aria-current={current === name ? 'page' : undefined}>{t.pages[name]}</a></li>
  );
  return (
    <>
      <ul>{NAV.filter(([, permission]) => view?.may(permission)).map(([name]) => item(name))}</ul>
      {session.use()?.operator && (
        <>
          <p class="group">{t.roles.operator}</p>
          <ul>{OPERATOR_NAV.map(item)}</ul>
        </>
      )}
    </>
  );
}

function OrgChoice({ view }: { view: OrgView | null }) {
  const memberships = session.use()?.memberships ?? [];
  useEffect(() => {
    if (view && view.role !== 'operator') {
      rememberOrg(view.org.id);
    }
  }, [view?.org.id]);
  if (!view) {
    return null;
  }
  const orgs = memberships.map(({ org }) => org);
  if (!orgs.some((org) => org.id === view.org.id)) {
    orgs.push(view.org);
  }
  if (orgs.length === 1) {
    return <strong class="org">{view.org.display_name ?? view.org.name}</strong>;
  }
  return (
    <select
      class="org"
      aria-label={t.shell.organization}
      value={view.org.id}
      onChange={(event) => setQuery({ org: event.currentTarget.value })}
    >
      {orgs.map((org) => (
        <option key={org.id} value={org.id} selected={org.id === view.org.id}>{org.display_name ?? org.name}</option>
      ))}
    </select>
  );
}

function ClockChoice() {
  const { clock, zone } = useClock();
  return (
    <select
      aria-label={t.shell.clock}
      value={clock}
      onChange={(event) => setQuery({ clock: event.currentTarget.value === 'local' ? 'local' : '' })}
    >
      <option value="utc" selected={clock === 'utc'}>UTC</option>
      <option value="local" selected={clock === 'local'}>{zone === 'UTC' ? t.shell.ownZone : zone}</option>
    </select>
  );
}

function AccountMenu() {
  const user = session.use()?.user;
  return (
    <>
      <a class="button plain account" href={to('account')} title={user?.email}>{user?.name}</a>
      <Button onClick={() => void signOut()}>{t.shell.signOut}</Button>
    </>
  );
}

/** What keeps the organization from being served, and what keeps this page from being new. */
function Banners({ view }: { view: OrgView | null }) {
  const credits = useLoad<Credits>(view ? `/orgs/${view.org.id}/credits` : null, CREDITS_EVERY_MILLIS).data;
  const until = waitingUntil.use();
  const now = useNow(until === null ? 0 : 500);
  const monthly = credits?.monthly;
  const used = monthly?.limit_micro ? monthly.spent_micro / monthly.limit_micro : 0;
  const lines: string[] = [];
  if (view?.org.state === 'suspended') {
    lines.push(t.banners.suspended);
  }
  if (view?.org.state === 'closed') {
    lines.push(t.banners.closed);
  }
  if (credits && credits.available_micro <= 0) {
    lines.push(t.banners.noCredit(usd(credits.available_micro)));
  }
  if (monthly?.limit_micro != null && used >= 0.8) {
    lines.push(t.banners.limit(Math.floor(used * 100), usd(monthly.limit_micro)));
  }
  if (until !== null) {
    lines.push(t.banners.waiting(Math.max(0, Math.ceil((until - now) / 1000))));
  }
  return (<div class="banners" role="status">{lines.map((line) => (<p key={line.slice(0, 20)}>{line}</p>))}</div>);
}
