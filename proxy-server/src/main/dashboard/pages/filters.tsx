import { useState } from 'preact/hooks';
import { type Facets, setQuery, useAction, useLoad } from '../app';
import { t } from '../i18n/en';
import { Button, Chip, Choice, compact, Field, Form, optionsOf, Section, View } from '../ui';
import { added, filtersOf, removed, type FilterName, type Period } from './request-filter';

/** Filters with facets, which are named as the filters and an s. */
const FACETS = ['outcome', 'model', 'provider', 'key', 'code', 'endpoint'] as const;

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
          options={[...optionsOf(t.ranges), ...(period.range === null ? [['', t.requests.picked] as const] : [])]}
          onValue={(range) => setQuery({ range, from: '', to: '' })}
        />
        {set.map(({ name, value }) => {
          const text = `${t.filters[name]}: ${value}`;
          return <Chip key={text} text={text} label={`${t.filters[name]} ${value}`} onRemove={() => setQuery({ [name]: removed(query, name, value) })} />;
        })}
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
  const add = useAction(async () => {
    setQuery({ [name]: added(query, name, value.trim()) });
    onDone();
  });
  return (
    <Form of={add}>
      <div class="chips">
        <Choice label={t.requests.filter} value={name} options={optionsOf(t.filters)} onValue={setName} />
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
            {FACETS.filter((name) => data[`${name}s`].length > 0).map((name) => (
              <Section key={name} title={t.filters[name]}>
                <ul>
                  {data[`${name}s`].map(({ name: value, requests }) => {
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
