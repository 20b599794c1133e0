import { type AuditRow, type Listing, type Loaded, listQuery, type OrgPageProps, type Paged, place, usePages } from '../app';
import { t } from '../i18n/en';
import { List, NONE, Page, QueryField, Time } from '../ui';

const FILTERS = ['actor', 'action', 'target'] as const;

/** Who changed what in the organization. */
export function AuditPage({ view }: OrgPageProps) {
  const { query } = place.use();
  const params = listQuery(query, FILTERS);
  for (const [name, time] of [['from', 'T00:00:00.000Z'], ['to', 'T23:59:59.999Z']] as const) {
    const day = query.get(name) ?? '';
    if (/^\d{4}-\d{2}-\d{2}$/.test(day)) {
      params.set(name, day + time);
    }
  }
  return (
    <Page title={t.pages.audit}>
      <div class="chips">
        {FILTERS.map((name) => <QueryField key={name} name={name} label={t.audit[name]} />)}
        {(['from', 'to'] as const).map((name) => <QueryField key={name} name={name} label={t.audit[name]} type="date" />)}
      </div>
      <AuditTable of={usePages<AuditRow>(`/orgs/${view.org.id}/audit?${params}`)} />
    </Page>
  );
}

export function AuditTable({ of }: { of: Loaded<Listing<AuditRow>> | Paged<AuditRow, Listing<AuditRow>> }) {
  return (
    <List
      of={of}
      empty={t.audit.empty}
      caption={t.pages.audit}
      className="whole"
      rowKey={(row) => String(row.id)}
      columns={[
        { id: 'at', title: t.columns.at, cell: (row) => <Time at={row.at} /> },
        {
          id: 'actor',
          title: t.audit.actor,
          cell: (row) => <>{row.actor.name ?? row.actor.kind} {row.actor.via && <span class="small">{t.audit.via}</span>}</>,
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
  const shown = (value: unknown) => (value == null ? '–' : typeof value === 'string' ? value : JSON.stringify(value));
  return of.length === 0 ? NONE : (
    <ul class="changes">
      {of.map(({ field, from, to }) => (
        <li key={field}>{t.fields[field] ?? field}: <code>{shown(from)}</code> → <code>{shown(to)}</code></li>
      ))}
    </ul>
  );
}
