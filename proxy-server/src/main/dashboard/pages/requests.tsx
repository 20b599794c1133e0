import { useEffect, useRef, useState } from 'preact/hooks';
import { type Histogram, type OrgPageProps, place, type RequestListing, type RequestRow, setQuery, useLoad, usePages } from '../app';
import { Store } from '../app/store';
import { t } from '../i18n/en';
import {
  AsOf, Button, Check, type Column, Count, Drawer, millis, Money, More, NONE, Outcome, Page, Snippets, Table, Time, useNow, View,
} from '../ui';
import { FacetList, FilterBar } from './filters';
import { RequestDetails } from './request';
import { apiQuery, filtersOf, periodOf } from './request-filter';
import { Strip } from './strip';

const LIVE_MILLIS = 1000;
const MINUTE_MILLIS = 60_000;
const COLUMNS_KEY = 'tollgate.request-columns';

const COLUMNS: Column<RequestRow>[] = [
  { id: 'at', title: t.columns.at, cell: (row) => <RowLink row={row} /> },
  { id: 'status', title: t.columns.status, cell: (row) => <Outcome of={row} /> },
  { id: 'model', title: t.columns.model, cell: (row) => row.model ?? NONE },
  { id: 'cost', title: t.columns.cost, cell: (row) => <Money micro={row.cost_micro} />, isNumber: true },
  { id: 'provider', title: t.columns.provider, cell: (row) => row.provider ?? NONE },
  { id: 'key', title: t.columns.key, cell: (row) => row.key.name ?? row.key.id },
  { id: 'tokens', title: t.columns.tokens, cell: tokens, isNumber: true },
  { id: 'total', title: t.columns.total, cell: (row) => millis(row.total_ms), isNumber: true },
  { id: 'ttft', title: t.columns.ttft, cell: (row) => millis(row.ttft_ms), isNumber: true },
  { id: 'rate', title: t.columns.rate, cell: (row) => row.output_tokens_per_second?.toFixed(0) ?? '–', isNumber: true },
  { id: 'overhead', title: t.columns.overhead, cell: (row) => millis(row.overhead_ms), isNumber: true },
  { id: 'attempts', title: t.columns.attempts, cell: (row) => row.attempts, isNumber: true },
];
const SHOWN_AT_FIRST = ['at', 'status', 'model', 'cost', 'provider', 'key', 'tokens', 'total', 'ttft'];
const storedColumns = localStorage.getItem(COLUMNS_KEY)?.split(',').filter((id) => COLUMNS.some((column) => column.id === id)) ?? [];
const chosenColumns = new Store(storedColumns.length > 0 ? storedColumns : SHOWN_AT_FIRST);

/** Finds requests: a strip of their numbers over time, filters, and the list. */
export function RequestsPage({ view }: OrgPageProps) {
  const { query } = place.use();
  const now = useNow(MINUTE_MILLIS);
  const period = periodOf(query, now);
  const isLive = query.get('live') !== '0' && period.range !== null;
  const base = `/orgs/${view.org.id}/requests`;
  const question = apiQuery(query, period, false);
  const path = `${base}?limit=50&${apiQuery(query, period, true)}`;
  const list = usePages<RequestRow, RequestListing>(path, isLive ? LIVE_MILLIS : 0);
  const histogram = useLoad<Histogram>(`${base}/histogram?${question}`, isLive ? 20 * LIVE_MILLIS : 0);
  const columns = chosenColumns.use();
  const held = useHeld(list.rows, question);
  const open = query.get('open');
  const walk = (step: number) => {
    const next = held.rows[held.rows.findIndex((row) => row.request_id === open) + step];
    if (next) {
      setQuery({ open: next.request_id }, true);
    }
  };
  const { last } = list;
  return (
    <Page
      title={t.pages.requests}
      note={<AsOf at={list.first.data?.as_of} />}
      actions={
        <>
          <Button aria-pressed={isLive} disabled={period.range === null} onClick={() => setQuery({ live: isLive ? '0' : '' })}>{t.requests.live}</Button>
          <ColumnChoice chosen={columns} />
        </>
      }
    >
      <FilterBar query={query} period={period} />
      <div class="explorer">
        <FacetList path={`${base}/facets?${question}`} query={query} />
        <div>
          <View of={histogram} rows={2}>{(data) => <Strip of={data} period={period} />}</View>
          <div ref={held.ref}>
            <p class="news">{held.news > 0 && <Button onClick={held.release}>{t.requests.news(held.news)}</Button>}</p>
            <View
              of={list.first}
              rows={10}
              isEmpty={() => list.rows.length === 0 && !list.hasMore}
              empty={filtersOf(query).length > 0 ? <p>{t.requests.noneFound}</p> : <><p>{t.requests.empty}</p><Snippets secret="" /></>}
            >
              {() => (
                <Table
                  caption={t.pages.requests}
                  columns={COLUMNS.filter((column) => columns.includes(column.id))}
                  rows={held.rows}
                  rowKey={(row) => row.request_id}
                  openKey={open ?? undefined}
                />
              )}
            </View>
          </div>
          {list.hasMore && last?.scanned_to && last.data.length < 50 && (
            <p>{t.requests.scanned(list.rows.length)} <Time at={last.scanned_to} isFull /></p>
          )}
          <More of={list} verb={t.requests.further} />
          <p class="small">{t.requests.refused} {Object.values(list.first.data?.refused ?? {}).reduce((all, n) => all + n, 0)}</p>
        </div>
      </div>
      {open && (
        <Drawer title={t.request.title} onClose={() => setQuery({ open: '' })} onStep={walk}>
          <RequestDetails key={open} view={view} id={open} isPart />
        </Drawer>
      )}
    </Page>
  );
}

/** Rows that stay as they are while the pointer or the focus is among them. */
function useHeld(rows: RequestRow[], question: string) {
  const ref = useRef<HTMLDivElement>(null);
  const [kept, setKept] = useState<{ question: string; rows: RequestRow[] } | null>(null);
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    const box = ref.current!;
    const hold = () => setKept((before) => before ?? { question, rows: latest.current });
    const release = () => setKept(box.matches(':hover, :focus-within') ? { question, rows: latest.current } : null);
    const events = [['pointerenter', hold], ['focusin', hold], ['pointerleave', release], ['focusout', release]] as const;
    events.forEach(([name, listener]) => box.addEventListener(name, listener));
    setKept(null);
    return () => events.forEach(([name, listener]) => box.removeEventListener(name, listener));
  }, [question]);
  const isKept = kept !== null && kept.question === question && kept.rows.length > 0;
  const first = isKept ? kept.rows[0]!.request_id : '';
  const news = isKept ? Math.max(0, rows.findIndex((row) => row.request_id === first)) : 0;
  // Rows that were read further down join the ones kept.
  const shown = isKept ? (news > 0 || rows.length <= kept.rows.length ? kept.rows : rows) : rows;
  return { ref, rows: shown, news, release: () => setKept({ question, rows: latest.current }) };
}

function RowLink({ row }: { row: RequestRow }) {
  const { query, path } = place.use();
  const to = new URLSearchParams(query);
  to.set('open', row.request_id);
  return <a href={`${path}?${to}`}><Time at={row.at} /></a>;
}

function tokens(row: RequestRow) {
  return <><Count n={row.prompt_tokens} /> + <Count n={row.completion_tokens} />{row.estimated && ' ≈'}</>;
}

function ColumnChoice({ chosen }: { chosen: string[] }) {
  const choose = (columns: string[]) => {
    localStorage.setItem(COLUMNS_KEY, columns.join(','));
    chosenColumns.set(columns);
  };
  return (
    <details class="menu">
      <summary class="button">{t.requests.columns}</summary>
      <div class="menu-body">
        {COLUMNS.slice(1).map(({ id, title }) => (
          <Check
            key={id}
            label={title}
            isOn={chosen.includes(id)}
            onChange={(isOn) => choose(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
      </div>
    </details>
  );
}
