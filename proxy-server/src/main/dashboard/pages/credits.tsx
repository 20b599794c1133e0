import { useState } from 'preact/hooks';
import {
  type Budget, call, type Credits, type LedgerEntry, type LimitsView, type Listing, type OrgPageProps, session, to, useAction,
  useCreate, useLoad, usePages,
} from '../app';
import { t } from '../i18n/en';
import {
  AsOf, BudgetBar, Choice, Facts, Field, Form, List, Money, MONEY, NONE, Page, PERCENTS, Section, SIGNED_MONEY, Spent, Table, Time, toast,
  usd, usdField, useFields, View, whole,
} from '../ui';
import { LIMITS } from './key-draft';

/** Money and limits of the organization: what there is, what is spent, what stops a request. */
export function CreditsPage({ view }: OrgPageProps) {
  const base = `/orgs/${view.org.id}`;
  const credits = useLoad<Credits>(`${base}/credits`);
  const budgets = useLoad<Listing<Budget>>(`${base}/budgets`);
  const limits = useLoad<LimitsView>(`${base}/limits`);
  const operator = session.use()?.operator === true;
  return (
    <Page title={t.pages.credits} note={<AsOf at={credits.data?.as_of} />}>
      <View of={credits} rows={3}>
        {(data) => (
          <>
            <Facts
              of={[
                [t.credits.available, <Money key="available" micro={data.available_micro} />],
                [t.credits.balance, <Money key="balance" micro={data.balance_micro} />],
                [t.credits.reserved, <Money key="reserved" micro={data.reserved_micro} />],
                [t.credits.month, <Month key="month" of={data.monthly} />],
              ]}
            />
            {!operator && <p class="quiet">{t.credits.topUp}</p>}
            {view.may('spending_limit_write') && <LimitForm path={`${base}/spending-limit`} of={data} onSaved={credits.set} />}
          </>
        )}
      </View>
      {operator && <Book orgId={view.org.id} onBooked={credits.reload} />}
      <Section title={t.credits.budgets}>
        <List
          of={budgets}
          empty={t.credits.noBudgets}
          caption={t.credits.budgets}
          rowKey={(row) => `${row.scope} ${row.key?.id ?? ''}`}
          columns={[
            { id: 'scope', title: t.credits.scope, cell: (row) => <>{t.scopes[row.scope]} {row.key && <a href={to('key', row.key.id)}>{row.key.name}</a>}</> },
            { id: 'used', title: t.credits.used, cell: (row) => <BudgetBar limit={row.limit_micro} spent={row.spent_micro} reserved={row.reserved_micro} /> },
            { id: 'left', title: t.credits.left, cell: (row) => <Money micro={row.remaining_micro} />, isNumber: true },
            { id: 'resets', title: t.budget.resets, cell: (row) => <Time at={row.resets_at} /> },
          ]}
        />
      </Section>
      <Section title={t.credits.limits}><View of={limits} rows={3}>{(data) => <LimitsTable of={data} />}</View></Section>
      {view.may('ledger_read') && <Ledger path={`${base}/ledger`} />}
    </Page>
  );
}

function Month({ of }: { of: Credits['monthly'] }) {
  return (
    <>
      <Spent limit={of.limit_micro} spent={of.spent_micro} reserved={of.reserved_micro} resets={of.resets_at} none={t.credits.noLimit} />
      {of.cap_micro !== null && <span class="small"> {t.credits.cap(usd(of.cap_micro))}</span>}
    </>
  );
}

function LimitForm({ path, of, onSaved }: { path: string; of: Credits; onSaved(credits: Credits): void }) {
  const fields = useFields({
    monthly_limit_micro: usdField(of.monthly.limit_micro),
    alerts: (of.alerts ?? [80, 100]).join(', '),
    alert_below_micro: usdField(of.alert_below_micro),
  });
  const save = useAction(async () => {
    const body = fields.parse({ monthly_limit_micro: MONEY, alerts: PERCENTS, alert_below_micro: MONEY });
    if (body) {
      onSaved(await call<Credits>('PUT', path, { body }));
      toast(t.credits.saved);
    }
  });
  return (
    <Section title={t.credits.limit}>
      <Form of={save} params={fields} verb={t.key.save}>
        <div class="columns">
          <Field label={t.credits.limitMonth} {...fields.of('monthly_limit_micro', save.error)} suffix="USD" hint={t.credits.limitHint} />
          <Field label={t.credits.alerts} {...fields.of('alerts', save.error)} suffix="%" hint={t.credits.alertsHint} />
          <Field label={t.credits.below} {...fields.of('alert_below_micro', save.error)} suffix="USD" hint={t.credits.belowHint} />
        </div>
      </Form>
    </Section>
  );
}

const KINDS = ['funding', 'refund', 'adjustment', 'write_off'] as const;

/** Books credit, as operators do. */
function Book({ orgId, onBooked }: { orgId: string; onBooked(): void }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('funding');
  const fields = useFields({ amount_micro: '', ref: '', reason: '' });
  const create = useCreate(`/operator/orgs/${orgId}/credits`);
  const book = useAction(async () => {
    const amount = fields.parse({ amount_micro: SIGNED_MONEY });
    if (amount) {
      await create({ ...fields.values, ...amount, kind });
      fields.set({ amount_micro: '', ref: '', reason: '' });
      toast(t.credits.booked);
      onBooked();
    }
  });
  return (
    <Section title={t.credits.book}>
      <Form of={book} params={fields} verb={t.credits.bookVerb}>
        <div class="columns">
          <Choice label={t.credits.kind} value={kind} options={KINDS.map((one) => [one, t.kinds[one]] as const)} onValue={setKind} />
          <Field label={t.credits.amount} {...fields.of('amount_micro', book.error)} suffix="USD" hint={t.credits.amountHint} isRequired />
          <Field label={t.credits.ref} {...fields.of('ref', book.error)} hint={t.credits.refHint} isRequired />
          <Field label={t.credits.reason} {...fields.of('reason', book.error)} isRequired />
        </div>
      </Form>
    </Section>
  );
}

function LimitsTable({ of }: { of: LimitsView }) {
  const shown = (n: number | null) => (n === null ? NONE : n === 0 ? t.limits.off : whole(n));
  return (
    <>
      <Table
        caption={t.credits.limits}
        className="whole"
        rows={[...LIMITS]}
        rowKey={(name) => name}
        columns={[
          { id: 'name', title: t.credits.limitName, cell: (name) => t.limits[name] },
          { id: 'org', title: t.pages.organization, cell: (name) => shown(of.organization[name]), isNumber: true },
          { id: 'used', title: t.credits.usedNow, cell: (name) => (of.used?.[name] == null ? NONE : whole(of.used[name])), isNumber: true },
          { id: 'key', title: t.credits.keyDefault, cell: (name) => shown(of.key_defaults[name]), isNumber: true },
        ]}
      />
      <p class="small">
        {t.credits.refusals} {of.refusals24h.length === 0 ? t.credits.noRefusals : of.refusals24h.map(({ code, count }) => `${code}: ${whole(count)}`).join(' · ')}
      </p>
    </>
  );
}

function Ledger({ path }: { path: string }) {
  return (
    <Section title={t.credits.ledger}>
      <List
        of={usePages<LedgerEntry>(path)}
        empty={t.credits.noEntries}
        caption={t.credits.ledger}
        rowKey={(row) => `${row.kind} ${row.id} ${row.day ?? ''}`}
        columns={[
          { id: 'at', title: t.columns.at, cell: (row) => row.day ?? <Time at={row.at} isFull /> },
          { id: 'kind', title: t.credits.kind, cell: (row) => t.kinds[row.kind] },
          { id: 'amount', title: t.credits.amount, cell: (row) => <Money micro={row.amount_micro} isExact />, isNumber: true },
          { id: 'balance', title: t.credits.balanceAfter, cell: (row) => <Money micro={row.balance_after_micro} isExact />, isNumber: true },
          { id: 'ref', title: t.credits.ref, cell: (row) => row.ref },
          { id: 'reason', title: t.credits.reason, cell: (row) => row.reason },
          { id: 'actor', title: t.credits.actor, cell: (row) => row.actor?.name ?? row.actor?.kind },
        ]}
      />
    </Section>
  );
}
