import { useRef, useState } from 'preact/hooks';
import {
  type Budget, call, type Credits, type LedgerEntry, type LimitsView, type Listing, newIdempotencyKey, type OrgPageProps,
  session, to, useAction, useLoad, usePages,
} from '../app';
import { t } from '../i18n/en';
import {
  AsOf, BudgetBar, Button, Choice, Facts, Field, Form, Money, More, optionalUsd, Page, parseUsd, Section, Table, Time, toast,
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
        <View of={budgets} rows={3} isEmpty={({ data }) => data.length === 0} empty={<p>{t.credits.noBudgets}</p>}>
          {({ data }) => <Budgets rows={data} />}
        </View>
      </Section>
      <Section title={t.credits.limits}><View of={limits} rows={3}>{(data) => <LimitsTable of={data} />}</View></Section>
      {view.may('ledger_read') && <Ledger path={`${base}/ledger`} />}
    </Page>
  );
}

function Month({ of }: { of: Credits['monthly'] }) {
  return (
    <>
      {of.limit_micro === null ? (<><Money micro={of.spent_micro} /> <span class="small">{t.credits.noLimit}</span></>) : (
        <BudgetBar limit={of.limit_micro} spent={of.spent_micro} reserved={of.reserved_micro} />
      )}
      <span class="small"> {t.budget.resets} <Time at={of.resets_at} /></span>
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
    const { values } = fields;
    const limit = optionalUsd(values.monthly_limit_micro);
    const below = optionalUsd(values.alert_below_micro);
    const alerts = values.alerts.split(/[\s,%]+/).filter((text) => text !== '').map(Number);
    const isSound = fields.check({
      monthly_limit_micro: limit === undefined ? t.problems.money : undefined,
      alert_below_micro: below === undefined ? t.problems.money : undefined,
      alerts: alerts.some(Number.isNaN) ? t.problems.percents : undefined,
    });
    if (isSound) {
      onSaved(await call<Credits>('PUT', path, { body: { monthly_limit_micro: limit, alerts, alert_below_micro: below } }));
      toast(t.credits.saved);
    }
  });
  return (
    <Section title={t.credits.limit}>
      <Form onSend={save.run} error={save.error} params={['monthly_limit_micro', 'alerts', 'alert_below_micro']}>
        <div class="columns">
          <Field label={t.credits.limitMonth} {...fields.of('monthly_limit_micro', save.error)} suffix="USD" hint={t.credits.limitHint} />
          <Field label={t.credits.alerts} {...fields.of('alerts', save.error)} suffix="%" hint={t.credits.alertsHint} />
          <Field label={t.credits.below} {...fields.of('alert_below_micro', save.error)} suffix="USD" hint={t.credits.belowHint} />
        </div>
        <div class="buttons"><Button type="submit" kind="primary" isBusy={save.isBusy}>{t.key.save}</Button></div>
      </Form>
    </Section>
  );
}

const KINDS = ['funding', 'refund', 'adjustment', 'write_off'] as const;

/** Books credit, as operators do. */
function Book({ orgId, onBooked }: { orgId: string; onBooked(): void }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('funding');
  const fields = useFields({ amount_micro: '', ref: '', reason: '' });
  const idempotencyKey = useRef(newIdempotencyKey());
  const book = useAction(async () => {
    const { amount_micro: amount, ref, reason } = fields.values;
    const micro = parseUsd(amount.trim().replace(/^-/, ''));
    if (!fields.check({ amount_micro: micro === null ? t.problems.money : undefined }) || micro === null) {
      return;
    }
    const body = { kind, amount_micro: amount.trim().startsWith('-') ? -micro : micro, ref, reason };
    await call('POST', `/operator/orgs/${orgId}/credits`, { body, idempotencyKey: idempotencyKey.current });
    idempotencyKey.current = newIdempotencyKey();
    fields.set({ amount_micro: '', ref: '', reason: '' });
    toast(t.credits.booked);
    onBooked();
  });
  return (
    <Section title={t.credits.book}>
      <Form onSend={book.run} error={book.error} params={['amount_micro', 'ref', 'reason']}>
        <div class="columns">
          <Choice label={t.credits.kind} value={kind} options={KINDS.map((one) => [one, t.kinds[one]] as const)} onValue={setKind} />
          <Field label={t.credits.amount} {...fields.of('amount_micro', book.error)} suffix="USD" hint={t.credits.amountHint} isRequired />
          <Field label={t.credits.ref} {...fields.of('ref', book.error)} hint={t.credits.refHint} isRequired />
          <Field label={t.credits.reason} {...fields.of('reason', book.error)} isRequired />
        </div>
        <div class="buttons"><Button type="submit" kind="primary" isBusy={book.isBusy}>{t.credits.bookVerb}</Button></div>
      </Form>
    </Section>
  );
}

function Budgets({ rows }: { rows: Budget[] }) {
  return (
    <Table
      caption={t.credits.budgets}
      rows={rows}
      rowKey={(row) => `${row.scope} ${row.key?.id ?? ''}`}
      columns={[
        { id: 'scope', title: t.credits.scope, cell: (row) => <>{t.scopes[row.scope]} {row.key && <a href={to('key', row.key.id)}>{row.key.name}</a>}</> },
        { id: 'used', title: t.credits.used, cell: (row) => <BudgetBar limit={row.limit_micro} spent={row.spent_micro} reserved={row.reserved_micro} /> },
        { id: 'left', title: t.credits.left, cell: (row) => <Money micro={row.remaining_micro} />, isNumber: true },
        { id: 'resets', title: t.budget.resets, cell: (row) => <Time at={row.resets_at} /> },
      ]}
    />
  );
}

function LimitsTable({ of }: { of: LimitsView }) {
  const shown = (n: number | null | undefined) => (n === null || n === undefined ? '–' : n === 0 ? t.limits.off : whole(n));
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
  const entries = usePages<LedgerEntry>(path);
  return (
    <Section title={t.credits.ledger}>
      <View of={entries.first} rows={4} isEmpty={() => entries.rows.length === 0} empty={<p>{t.credits.noEntries}</p>}>
        {() => (
          <Table
            caption={t.credits.ledger}
            rows={entries.rows}
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
        )}
      </View>
      <More of={entries} />
    </Section>
  );
}
