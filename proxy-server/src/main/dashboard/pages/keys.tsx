import { type Key, type KeyListing, listQuery, type Org, type OrgPageProps, place, session, to, useLoad, usePages } from '../app';
import { t } from '../i18n/en';
import { BudgetBar, type Column, List, Money, Page, QueryChoice, QueryField, Snippets, State, Time } from '../ui';

const FILTERS = ['state', 'q', 'mine'];

/** The keys of the organization: what each may do and has spent. */
export function KeysPage({ view }: OrgPageProps) {
  const { query } = place.use();
  const params = listQuery(query, ['state', 'q', 'sort']);
  if (query.get('mine') === '1') {
    params.set('created_by', session.get()?.user.id ?? '');
  }
  const keys = usePages<Key, KeyListing>(`/orgs/${view.org.id}/keys?${params}`);
  const { total, max } = keys.first.data ?? {};
  return (
    <Page
      title={t.pages.keys}
      note={total === undefined || max === undefined ? null : t.keys.count(total, max)}
      actions={<NewKey view={view} />}
    >
      <div class="chips">
        <QueryField name="q" label={t.keys.search} />
        <QueryChoice name="state" label={t.keys.state} options={[['', t.keys.notRevoked], ...Object.entries(t.keyStates)]} />
        <QueryChoice name="sort" label={t.keys.sort} options={Object.entries(t.keys.sorts)} />
        <QueryChoice name="mine" label={t.keys.madeBy} options={[['', t.keys.anybody], ['1', t.keys.me]]} />
      </div>
      <List
        of={keys}
        empty={FILTERS.some((name) => query.has(name)) ? t.keys.noneFound : <><p>{t.keys.empty}</p><p><NewKey view={view} verb={t.keys.first} /></p><Snippets secret="" /></>}
        caption={t.pages.keys}
        columns={COLUMNS}
        rowKey={(key) => key.id}
      />
    </Page>
  );
}

const COLUMNS: Column<Key>[] = [
  {
    id: 'name',
    title: t.keys.name,
    cell: (key) => <a href={to('key', key.id)}>{key.name} <code class="small">…{key.last_four}</code></a>,
  },
  { id: 'state', title: t.keys.state, cell: (key) => <State of={key.state} text={t.keyStates[key.state]} /> },
  { id: 'budget', title: t.keys.budget, cell: (key) => <TightestBudget of={key} /> },
  { id: 'used', title: t.keys.lastUsed, cell: (key) => (key.last_used_at ? <Time at={key.last_used_at} /> : t.keys.never) },
  { id: 'month', title: t.keys.month, cell: (key) => <Money micro={key.spend.month_micro} />, isNumber: true },
  { id: 'scope', title: t.keys.scope, cell: scope },
  { id: 'owner', title: t.keys.madeBy, cell: (key) => key.created_by.name ?? key.created_by.kind },
];

/** What a key may be used for, in words. */
export function scope(key: Key): string {
  const words = [
    key.allowed_models.length > 0 ? t.keys.models(key.allowed_models.length) : t.keys.allModels,
    key.allowed_modalities.length > 0 ? key.allowed_modalities.join(', ') : null,
    key.allowed_ips.length > 0 ? t.keys.addresses(key.allowed_ips.length) : null,
  ];
  return words.filter((word) => word !== null).join(' · ');
}

/** The budget of which the most is used. */
function TightestBudget({ of }: { of: Key }) {
  const { spend } = of;
  const budgets = [
    { limit: of.daily_budget_micro, spent: spend.today_micro },
    { limit: of.monthly_budget_micro, spent: spend.month_micro },
  ].filter((one) => one.limit !== null);
  const tightest = budgets.toSorted((a, b) => b.spent / b.limit! - a.spent / a.limit!)[0];
  return tightest ? (<BudgetBar limit={tightest.limit!} spent={tightest.spent} reserved={spend.reserved_micro} />) : (
    <span class="quiet">{t.keys.noBudget}</span>
  );
}

/** The way to a new key, or why there is none. */
function NewKey({ view, verb = t.keys.new }: Pick<OrgPageProps, 'view'> & { verb?: string }) {
  const org = useLoad<Org>(`/orgs/${view.org.id}`).data;
  if (!view.may('keys_write_own')) {
    return null;
  }
  const isClosed = org?.key_policy.developers_create === false && !view.may('keys_write_all');
  const isFull = org !== undefined && org.keys.max > 0 && org.keys.count >= org.keys.max;
  const reason = view.isSuspended ? t.reasons.organization_suspended : isClosed ? t.reasons.developers_may_not_create : isFull && t.keys.full(org.keys.max);
  return reason ? <p class="small">{reason}</p> : <a class="button primary" href={to('keyNew')}>{verb}</a>;
}
