import type { ComponentChildren } from 'preact';
import { type OrgPageProps, type RequestDetail, to, useLoad } from '../app';
import { t } from '../i18n/en';
import { bytes, Copy, Count, duration, Facts, Money, Page, perMillion, Section, State, Time, usdOfPico, View, whole } from '../ui';
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
        <State
          of={of.outcome}
          tone={of.outcome.startsWith('ok') || of.outcome === 'replayed' ? 'ok' : 'bad'}
          text={`${of.status || '–'} ${of.outcome.replaceAll('_', ' ')}`}
        />
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
          [t.request.bytes, of.bytes ? `${sized(of.bytes.request)} → ${sized(of.bytes.response)}` : null],
          [t.request.marks, marks(of)],
        ]}
      />
      <Section title={t.request.timeline}><Timeline of={of} /></Section>
      {of.routing && <Section title={t.request.routing}><Routing of={of.routing} /></Section>}
      {of.error && (<Section title={t.request.error}><pre tabIndex={0}>{JSON.stringify({ error: of.error }, null, 2)}</pre></Section>)}
      <Section title={t.request.cost}><Cost of={of} /></Section>
      <p class="small">{t.request.noContent} {of.kept_until && <>{t.request.keptUntil} <Time at={of.kept_until} isFull />.</>}</p>
    </>
  );
}

function millis(value: number | null): string | null {
  return value === null ? null : duration(value);
}

function sized(n: number | null): string {
  return n === null ? '–' : bytes(n);
}

function marks(of: RequestDetail): string | null {
  const found = (['stream', 'estimated', 'fallback', 'resumed', 'hedged'] as const).filter((name) => of[name]);
  return found.length > 0 ? found.map((name) => t.marks[name]).join(', ') : null;
}

/** The routing reason in words: how the provider was chosen and what else there was. */
function Routing({ of }: { of: Record<string, unknown> }) {
  const known = t.routing(of);
  const rest = Object.entries(of).filter(([, value]) => value !== null && typeof value !== 'object');
  return (
    <>
      {known !== '' && <p>{known}</p>}
      <p class="small"><code>{rest.map(([name, value]) => `${name}=${String(value)}`).join(' ')}</code></p>
    </>
  );
}

/** The charge, line by line, by the prices that were applied. */
function Cost({ of }: { of: RequestDetail }) {
  const { arithmetic, charge } = of;
  return (
    <>
      {arithmetic && (
        <div class="table whole" role="region" aria-label={t.request.cost} tabIndex={0}>
          <table>
            <caption class="visually-hidden">{t.request.cost}</caption>
            <thead>
              <tr>
                <th scope="col">{t.cost.unit}</th>
                <th scope="col" class="end">{t.cost.quantity}</th>
                <th scope="col" class="end">{t.cost.price}</th>
                <th scope="col" class="end">{t.cost.amount}</th>
              </tr>
            </thead>
            <tbody>
              {arithmetic.lines.map((line, i) => (
                <tr key={i}>
                  <td data-label={t.cost.unit}>{line.unit.replaceAll('_', ' ')}</td>
                  <td data-label={t.cost.quantity} class="end">{whole(line.quantity)}</td>
                  <td data-label={t.cost.price} class="end">× {line.unit.includes('token') ? perMillion(line.price_pico) : usdOfPico(line.price_pico)}</td>
                  <td data-label={t.cost.amount} class="end">{usdOfPico(line.pico)}</td>
                </tr>
              ))}
              <Sum text={t.cost.sum} value={usdOfPico(arithmetic.total_pico)} />
              <Sum text={t.cost.rounded} value={<Money micro={arithmetic.rounded_micro} isExact />} />
            </tbody>
          </table>
        </div>
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

function Sum({ text, value }: { text: string; value: ComponentChildren }) {
  return (
    <tr class="sum">
      <td>{text}</td>
      <td />
      <td />
      <td class="end" data-label={text}>{value}</td>
    </tr>
  );
}
