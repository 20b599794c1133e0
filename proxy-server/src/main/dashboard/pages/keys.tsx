import { type Key, type KeyListing, type Org, type OrgPageProps, place, session, setQuery, to, useLoad, usePages } from '../app';
import { t } from '../i18n/en';
import { BudgetBar, Choice, type Column, Field, Money, More, Page, Snippets, State, Table, Time, View } from '../ui';

const STATES = ['', 'active', 'disabled', 'expired', 'revoked'] as const;
const SORTS = ['created', 'last_used', 'spend'] as const;

/** The keys of the organization: what each may do and has spent. */
export function KeysPage({ view }: OrgPageProps) {
  const { query } = place.use();
  const state = query.get('state') ?? '';
  const sort = query.get('sort') ?? 'created';
  const search = query.get('q') ?? '';
  const isMine = query.get('mine') === '1';
  const params = new URLSearchParams({ limit: '50', sort });
  if (state !== '') {
    params.set('state', state);
  }
  if (search !== '') {
    params.set('q', search);
  }
  if (isMine) {
    params.set('created_by', session.get()?.user.id ?? '');
  }
  const keys = usePages<Key, KeyListing>(`/orgs/${view.org.id}/keys?${params}`);
  const { total, max } = keys.first.data ?? {};
  const isFiltered = state !== '' || search !== '' || isMine;
  return (
    <Page
      title={t.pages.keys}
      note={total === undefined || max === undefined ? null : t.keys.count(total, max)}
      actions={<NewKey view={view} />}
    >
      <div class="chips">
        <Field label={t.keys.search} value={search} onValue={(q) => setQuery({ q }, true)} type="search" />
        <Choice
          label={t.keys.state}
          value={state}
          options={STATES.map((one) => [one, one === '' ? t.keys.notRevoked : t.keyStates[one]] as const)}
          onValue={(value) => setQuery({ state: value })}
        />
        <Choice
          label={t.keys.sort}
          value={sort}
          options={SORTS.map((one) => [one, t.keys.sorts[one]] as const)}
          onValue={(value) => setQuery({ sort: value === 'created' ? '' : value })}
        />
        <Choice
          label={t.keys.madeBy}
          value={isMine ? '1' : ''}
          options={[['', t.keys.anybody], ['1', t.keys.me]]}
          onValue={(mine) => setQuery({ mine })}
        />
      </div>
      <View
        of={keys.first}
        isEmpty={() => keys.rows.length === 0}
        empty={isFiltered ? <p>{t.keys.noneFound}</p> : <FirstKey view={view} />}
      >
        {() => <Table caption={t.pages.keys} columns={COLUMNS} rows={keys.rows} rowKey={(key) => key.id} />}
      </View>
      <More of={keys} />
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
function NewKey({ view }: Pick<OrgPageProps, 'view'>) {
  const org = useLoad<Org>(`/orgs/${view.org.id}`).data;
  if (!view.may('keys_write_own')) {
    return null;
  }
  const reason = view.isSuspended
    ? t.reasons.organization_suspended
    : org?.key_policy.developers_create === false && !view.may('keys_write_all')
      ? t.reasons.developers_may_not_create
      : org && org.keys.count >= org.keys.max
        ? t.keys.full(org.keys.max)
        : null;
  return reason ? <p class="small">{reason}</p> : <a class="button primary" href={to('keyNew')}>{t.keys.new}</a>;
}

function FirstKey({ view }: Pick<OrgPageProps, 'view'>) {
  return (
    <>
      <p>{t.keys.empty}</p>
      {view.may('keys_write_own') && !view.isSuspended && <a class="button primary" href={to('keyNew')}>{t.keys.first}</a>}
      <Snippets secret="" />
    </>
  );
}
