import { useState } from 'preact/hooks';
import { type AuditRow, type OrgPageProps, place, setQuery, usePages } from '../app';
import { t } from '../i18n/en';
import { Button, Field, Form, More, Page, Table, Time, View } from '../ui';

const FILTERS = ['actor', 'action', 'target'] as const;

/** Who changed what in the organization. */
export function AuditPage({ view }: OrgPageProps) {
  const { query } = place.use();
  const params = new URLSearchParams({ limit: '50' });
  for (const name of FILTERS) {
    query.getAll(name).forEach((value) => params.append(name, value));
  }
  for (const [name, time] of [['from', 'T00:00:00.000Z'], ['to', 'T23:59:59.999Z']] as const) {
    const day = query.get(name) ?? '';
    if (/^\d{4}-\d{2}-\d{2}$/.test(day)) {
      params.set(name, day + time);
    }
  }
  const rows = usePages<AuditRow>(`/orgs/${view.org.id}/audit?${params}`);
  return (
    <Page title={t.pages.audit}>
      <Filters key={query.toString()} query={query} />
      <View of={rows.first} rows={8} isEmpty={() => rows.rows.length === 0} empty={<p>{t.audit.empty}</p>}>
        {() => <AuditTable rows={rows.rows} />}
      </View>
      <More of={rows} />
    </Page>
  );
}

function Filters({ query }: { query: URLSearchParams }) {
  const names = [...FILTERS, 'from', 'to'] as const;
  const [values, setValues] = useState(() => Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])));
  return (
    <Form onSend={() => setQuery(values)}>
      <div class="chips">
        {names.map((name) => (
          <Field
            key={name}
            label={t.audit[name]}
            type={name === 'from' || name === 'to' ? 'date' : 'text'}
            value={values[name] ?? ''}
            onValue={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <Button type="submit">{t.requests.apply}</Button>
      </div>
    </Form>
  );
}

export function AuditTable({ rows }: { rows: AuditRow[] }) {
  return (
    <Table
      caption={t.pages.audit}
      className="whole"
      rows={rows}
      rowKey={(row) => String(row.id)}
      columns={[
        { id: 'at', title: t.columns.at, cell: (row) => <Time at={row.at} /> },
        {
          id: 'actor',
          title: t.audit.actor,
          cell: (row) => <>{row.actor.name ?? row.actor.kind} {(row.actor.via || row.actor.kind === 'operator') && <span class="small">{t.audit.via}</span>}</>,
        },
        { id: 'action', title: t.audit.action, cell: (row) => <code>{row.action}</code> },
        { id: 'target', title: t.audit.target, cell: (row) => row.target && (row.target.name ?? row.target.id) },
        { id: 'changes', title: t.audit.changes, cell: (row) => <Changes of={row.changes} /> },
        { id: 'ip', title: t.account.address, cell: (row) => row.ip },
      ]}
    />
  );
}

function Changes({ of }: { of: AuditRow['changes'] }) {
  if (of.length === 0) {
    return <span class="quiet">–</span>;
  }
  return (
    <ul class="changes">
      {of.map(({ field, from, to }) => (
        <li key={field}>{t.fields[field] ?? field}: <code>{shown(from)}</code> → <code>{shown(to)}</code></li>
      ))}
    </ul>
  );
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
}
