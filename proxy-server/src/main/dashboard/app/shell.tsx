import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/en';
import { Button, Select, usd, useClock, useNow } from '../ui';
import { waitingUntil } from './api';
import { useLoad } from './load';
import { Palette } from './palette';
import { place, setQuery, to } from './router';
import { permissionOf, type PageName } from './routes';
import type { OrgView } from './org-view';
import { rememberOrg, session, signOut, useOrg } from './session';
import type { Credits } from './types';

const NAV: PageName[] = ['requests', 'keys', 'webhooks', 'credits', 'members', 'organization', 'audit'];
const OPERATOR_NAV: PageName[] = ['operatorOrgs', 'operatorUsers'];
const PARENTS: Partial<Record<PageName, PageName>> = { request: 'requests', key: 'keys', keyNew: 'keys' };
const CREDITS_EVERY_MILLIS = 60_000;

/** The frame of every page: side bar, top bar, banners. */
export function Shell({ page, children }: { page: PageName | null; children: ComponentChildren }) {
  const view = useOrg();
  const { path } = place.use();
  const user = session.use()?.user;
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
          <a class="button plain account" href={to('account')} title={user?.email}>{user?.name}</a>
          <Button onClick={() => void signOut()}>{t.shell.signOut}</Button>
        </header>
        <Banners view={view} />
        <main id="main" tabIndex={-1}>{children}</main>
      </div>
      {isPaletteOpen && <Palette view={view} pages={[...ownPages(view), ...(session.get()?.operator ? OPERATOR_NAV : []), 'account']} onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

const ownPages = (view: OrgView | null): PageName[] => NAV.filter((page) => view?.may(permissionOf(page)));

function Nav({ page, view }: { page: PageName | null; view: OrgView | null }) {
  const current = page === null ? null : (PARENTS[page] ?? page);
  const item = (name: PageName) => (
    <li key={name}><a href={to(name)} aria-current={current === name ? 'page' : undefined}>{t.pages[name]}</a></li>
  );
  return (
    <>
      <ul>{ownPages(view).map(item)}</ul>
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
  const others = memberships.map(({ org }) => org).filter((org) => org.id !== view.org.id);
  const options = [view.org, ...others].map((org) => [org.id, org.display_name ?? org.name] as const);
  if (others.length === 0) {
    return <strong class="org">{options[0]![1]}</strong>;
  }
  return <Select class="org" aria-label={t.shell.organization} value={view.org.id} options={options} onValue={(org) => setQuery({ org })} />;
}

function ClockChoice() {
  const { clock, zone } = useClock();
  const options = [['utc', 'UTC'], ['local', zone === 'UTC' ? t.shell.ownZone : zone]] as const;
  return <Select aria-label={t.shell.clock} value={clock} options={options} onValue={(to) => setQuery({ clock: to === 'utc' ? '' : to })} />;
}

/** What keeps the organization from being served, and what keeps this page from being new. */
function Banners({ view }: { view: OrgView | null }) {
  const credits = useLoad<Credits>(view ? `/orgs/${view.org.id}/credits` : null, CREDITS_EVERY_MILLIS).data;
  const until = waitingUntil.use();
  const now = useNow(until === null ? 0 : 500);
  const monthly = credits?.monthly;
  const used = monthly?.limit_micro ? monthly.spent_micro / monthly.limit_micro : 0;
  const lines = [
    view?.org.state === 'suspended' && t.banners.suspended,
    view?.org.state === 'closed' && t.banners.closed,
    credits !== undefined && credits.available_micro <= 0 && t.banners.noCredit(usd(credits.available_micro)),
    monthly?.limit_micro != null && used >= 0.8 && t.banners.limit(Math.floor(used * 100), usd(monthly.limit_micro)),
    until !== null && t.banners.waiting(Math.max(0, Math.ceil((until - now) / 1000))),
  ].filter((line) => line !== false);
  return (<div class="banners" role="status">{lines.map((line) => (<p key={line.slice(0, 20)}>{line}</p>))}</div>);
}
