import type { ComponentChildren } from 'preact';
import { type OrgPageProps, type RequestDetail, to, useLoad } from '../app';
import { t } from '../i18n/en';
import { bytes, Copy, Count, Facts, millis, Money, Outcome, Page, perMillion, Section, Table, Time, usdOfPico, View, whole } from '../ui';
import { Timeline } from './timeline';

const SETTLING_MILLIS = 2000;

/** One request by its own address. */
export function RequestPage({ view, id }: OrgPageProps) {
  return (<Page title={t.request.title} name={id}><RequestDetails view={view} id={id} /></Page>);
}

/** What happened to a request: its time, its attempts, its cost. */
export function RequestDetails({ view, id, isPart = false }: OrgPageProps & { isPart?: boolean }) {
  const path = `/orgs/${view.org.id}/requests/${encodeURIComponent(id)}`;
  const loaded = useLoad<RequestDetail>(path);
  // The charge of a request that was just made follows a moment later.
  const settling = useLoad<RequestDetail>(loaded.data && !loaded.data.charge ? path : null, SETTLING_MILLIS);
  if (loaded.error?.code === 'not_found') {
    return <p role="alert">{t.request.gone}</p>;
  }
  return (<View of={loaded} rows={8}>{(first) => <Parts of={settling.data ?? first} isPart={isPart} />}</View>);
}

function Parts({ of, isPart }: { of: RequestDetail; isPart: boolean }) {
  return (
    <>
      <p class="chips">
        <Copy text={of.request_id} />
        {isPart && <a href={to('request', of.request_id)}>{t.request.permalink}</a>}
        <Outcome of={of} />
      </p>
      <Facts
        of={[
          [t.columns.at, <Time key="at" at={of.at} isFull />],
          [t.columns.key, <a key="key" href={to('key', of.key.id)}>{of.key.name ?? of.key.id}</a>],
          [t.request.endpoint, of.endpoint],
          [t.columns.model, of.model],
          [t.columns.provider, of.provider],
          [t.request.client, of.client_ip],
          [t.columns.total, millis(of.total_ms)],
          [t.columns.ttft, millis(of.ttft_ms)],
          [t.request.upstream, millis(of.upstream_ms)],
          [t.columns.overhead, millis(of.overhead_ms)],
          [t.request.prompt, <Count key="prompt" n={of.prompt_tokens} />],
          [t.request.cached, <Count key="cached" n={of.cached_tokens} />],
          [t.request.completion, <Count key="completion" n={of.completion_tokens} />],
          [t.request.reasoning, <Count key="reasoning" n={of.reasoning_tokens} />],
          [t.columns.rate, of.output_tokens_per_second?.toFixed(1) ?? null],
          [t.request.bytes, of.bytes ? `${bytes(of.bytes.request)} → ${bytes(of.bytes.response)}` : null],
          [t.request.marks, marks(of)],
        ]}
      />
      <Section title={t.request.timeline}><Timeline of={of} /></Section>
      {of.routing && (
        <Section title={t.request.routing}>
          <p>{t.routing(of.routing)}</p>
          <p class="small"><code>{Object.entries(of.routing).map(([name, value]) => `${name}=${value}`).join(' ')}</code></p>
        </Section>
      )}
      {of.error && (<Section title={t.request.error}><pre tabIndex={0}>{JSON.stringify({ error: of.error }, null, 2)}</pre></Section>)}
      <Section title={t.request.cost}><Cost of={of} /></Section>
      <p class="small">{t.request.noContent} {of.kept_until && <>{t.request.keptUntil} <Time at={of.kept_until} isFull />.</>}</p>
    </>
  );
}

function marks(of: RequestDetail): string | null {
  const found = (['stream', 'estimated', 'fallback', 'resumed', 'hedged'] as const).filter((name) => of[name]);
  return found.length > 0 ? found.map((name) => t.marks[name]).join(', ') : null;
}

/** The charge, line by line, by the prices that were applied. */
function Cost({ of }: { of: RequestDetail }) {
  const { arithmetic, charge } = of;
  return (
    <>
      {arithmetic && (
        <Table
          caption={t.request.cost}
          className="whole"
          rows={[...arithmetic.lines.map(product), [t.cost.sum, usdOfPico(arithmetic.total_pico)], [t.cost.rounded, <Money key="sum" micro={arithmetic.rounded_micro} isExact />]]}
          rowKey={(row) => String(row[0])}
          columns={[
            { id: 'unit', title: t.cost.unit, cell: ([unit]) => unit },
            { id: 'quantity', title: t.cost.quantity, cell: ([, , quantity]) => quantity, isNumber: true },
            { id: 'price', title: t.cost.price, cell: ([, , , price]) => price, isNumber: true },
            { id: 'amount', title: t.cost.amount, cell: ([, amount]) => amount, isNumber: true },
          ]}
        />
      )}
      {arithmetic && (
        <p>{arithmetic.matches ? t.cost.matches : t.cost.differs} {arithmetic.notes.length > 0 && `${t.cost.note} ${arithmetic.notes.join('; ')}.`}</p>
      )}
      {charge ? (
        <Facts
          of={[
            [t.cost.charged, <Money key="cost" micro={charge.cost_micro} isExact />],
            [t.cost.reserved, <Money key="reserved" micro={charge.reserved_micro} isExact />],
            [t.cost.overrun, charge.overrun_micro > 0 ? <Money key="over" micro={charge.overrun_micro} isExact /> : null],
            [t.cost.how, charge.how],
            [t.cost.settled, <Time key="at" at={charge.settled_at} isFull />],
          ]}
        />
      ) : (<p class="quiet">{of.cost_micro === null ? t.cost.follows : t.cost.free}</p>)}
    </>
  );
}

/** Row of one product: its unit, its amount, and what was multiplied. */
function product(line: NonNullable<RequestDetail['arithmetic']>['lines'][number]): ComponentChildren[] {
  const price = line.unit.includes('token') ? perMillion(line.price_pico) : usdOfPico(line.price_pico);
  return [`${line.part > 0 ? `${line.part + 1}. ` : ''}${line.unit.replaceAll('_', ' ')}`, usdOfPico(line.pico), whole(line.quantity), `× ${price}`];
}
