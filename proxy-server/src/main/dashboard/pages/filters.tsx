import { useState } from 'preact/hooks';
import { type FacetName, type Facets, setQuery, useLoad } from '../app';
import { t } from '../i18n/en';
import { Button, Choice, compact, Field, Form, Section, View } from '../ui';
import { added, FILTERS, filtersOf, RANGES, removed, type FilterName, type Period, type Range } from './request-filter';

const FACETS: [FacetName, FilterName][] = [
  ['outcomes', 'outcome'], ['models', 'model'], ['providers', 'provider'], ['keys', 'key'], ['codes', 'code'], ['endpoints', 'endpoint'],
];
const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** The period and the filters of the list, all of them in the address. */
export function FilterBar({ query, period }: { query: URLSearchParams; period: Period }) {
  const [isAdding, setAdding] = useState(false);
  const set = filtersOf(query);
  return (
    <>
      <div class="chips">
        <Choice
          label={t.requests.period}
          value={period.range ?? ''}
          options={[...RANGE_NAMES.map((range) => [range, t.ranges[range]] as const), ...(period.range === null ? [['', t.ranges.picked] as const] : [])]}
          onValue={(range) => setQuery({ range, from: '', to: '' })}
        />
        {set.map(({ name, value }) => (
          <span key={`${name} ${value}`} class="chip">
            {t.filters[name]}: {value}
            <button type="button" aria-label={t.chips.remove(`${t.filters[name]} ${value}`)} onClick={() => setQuery({ [name]: removed(query, name, value) })}>
              ×
            </button>
          </span>
        ))}
        <Button aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>{t.requests.addFilter}</Button>
        {set.length > 1 && <Button onClick={() => setQuery(Object.fromEntries(set.map(({ name }) => [name, ''])))}>{t.requests.clear}</Button>}
      </div>
      {isAdding && <AddFilter query={query} onDone={() => setAdding(false)} />}
    </>
  );
}

function AddFilter({ query, onDone }: { query: URLSearchParams; onDone(): void }) {
  const [name, setName] = useState<FilterName>('model');
  const [value, setValue] = useState('');
  return (
    <Form
      onSend={() => {
        setQuery({ [name]: added(query, name, value.trim()) });
        onDone();
      }}
    >
      <div class="chips">
        <Choice label={t.requests.filter} value={name} options={FILTERS.map((one) => [one, t.filters[one]] as const)} onValue={setName} />
        <Field label={t.requests.value} value={value} onValue={setValue} isRequired hint={t.filterHints[name]} />
        <Button type="submit" kind="primary">{t.requests.apply}</Button>
      </div>
    </Form>
  );
}

/** The most frequent values; choosing one makes it a filter, choosing it again takes it away. */
export function FacetList({ path, query }: { path: string; query: URLSearchParams }) {
  const facets = useLoad<Facets>(path);
  return (
    <aside class="facets" aria-label={t.requests.facets}>
      <View of={facets} rows={8}>
        {(data) => (
          <>
            {data.ignored?.length > 0 && <p class="small">{t.requests.ignored(data.ignored.map((name) => t.filters[name as FilterName] ?? name).join(', '))}</p>}
            {FACETS.filter(([facet]) => data[facet].length > 0).map(([facet, name]) => (
              <Section key={name} title={t.filters[name]}>
                <ul>
                  {data[facet].map(({ name: value, requests }) => {
                    const isOn = query.getAll(name).includes(value);
                    const toggle = () => setQuery({ [name]: isOn ? removed(query, name, value) : added(query, name, value) });
                    return (
                      <li key={value}>
                        <button type="button" aria-pressed={isOn} onClick={toggle}>
                          <span>{value}</span>
                          <span class="quiet">{compact(requests)}</span>
                        </button>
                      </li>
                    );
                  })}
                </ul>
              </Section>
            ))}
          </>
        )}
      </View>
    </aside>
  );
}
