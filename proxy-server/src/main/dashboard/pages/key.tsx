import { useState } from 'preact/hooks';
import {
  type AuditRow, call, go, type Key, type KeyMade, type Listing, type OrgPageProps, session, to, useAction, useLoad,
} from '../app';
import { t } from '../i18n/en';
import { Ask, Button, Copy, Facts, Page, SecretDialog, Section, Spent, State, Time, View } from '../ui';
import { AuditTable } from './audit';
import { KeyEdit } from './key-edit';
import { scope } from './keys';

const SPEND_EVERY_MILLIS = 5000;
type Question = 'rotate' | 'revoke' | 'disable';

/** One key: its state, its spending, its settings and what was done to it. */
export function KeyPage({ view, id }: OrgPageProps) {
  const path = `/orgs/${view.org.id}/keys/${encodeURIComponent(id)}`;
  const key = useLoad<Key>(path, SPEND_EVERY_MILLIS);
  return (
    <Page
      title={key.data?.name ?? t.key.title}
      note={key.data && <State of={key.data.state} text={t.keyStates[key.data.state]} />}
      actions={key.data && <KeyActions view={view} id={id} of={key.data} path={path} onChange={key.reload} />}
    >
      <View of={key} rows={8}>
        {(of) => (
          <>
            {of.replaced_by && <p class="conflict">{t.key.replacedBy} <a href={to('key', of.replaced_by)}><code>{of.replaced_by}</code></a></p>}
            <KeyFacts of={of} />
            {canWrite(view, of) && of.state !== 'revoked' && !view.isSuspended ? (
              <KeyEdit key={of.id} orgId={view.org.id} path={path} latest={of} onSaved={key.set} />
            ) : (
              <p class="quiet">{of.state === 'revoked' ? t.key.readOnly : view.isSuspended ? t.reasons.organization_suspended : t.key.notYours}</p>
            )}
            {view.may('audit_read') && <KeyAudit orgId={view.org.id} id={of.id} />}
          </>
        )}
      </View>
    </Page>
  );
}

function canWrite(view: OrgPageProps['view'], key: Key): boolean {
  const isOwn = key.created_by.id !== null && key.created_by.id === session.get()?.user.id;
  return view.may('keys_write_all') || (isOwn && view.may('keys_write_own'));
}

function KeyFacts({ of }: { of: Key }) {
  const { spend } = of;
  return (
    <Facts
      of={[
        [t.key.id, <Copy key="id" text={of.id} />],
        [t.key.secret, <code key="four">sk-llm-…{of.last_four}</code>],
        [t.keys.scope, scope(of)],
        [t.keys.madeBy, of.created_by.name ?? of.created_by.kind],
        [t.key.created, <Time key="at" at={of.created_at} />],
        [t.keys.lastUsed, of.last_used_at ? <Time key="used" at={of.last_used_at} /> : t.keys.never],
        [t.key.expires, of.expires_at ? <Time key="end" at={of.expires_at} isFull /> : t.keys.never],
        [t.key.requests, <a key="list" href={to('requests', '', { key: of.id })}>{t.key.show}</a>],
        [t.key.today, <Spent key="day" limit={of.daily_budget_micro} spent={spend.today_micro} reserved={spend.reserved_micro} resets={spend.daily_resets_at} none={t.keys.noBudget} />],
        [t.key.month, <Spent key="month" limit={of.monthly_budget_micro} spent={spend.month_micro} reserved={spend.reserved_micro} resets={spend.monthly_resets_at} none={t.keys.noBudget} />],
      ]}
    />
  );
}

interface KeyActionsProps extends OrgPageProps { of: Key; path: string; onChange(): void }

function KeyActions({ view, of, path, onChange }: KeyActionsProps) {
  const [made, setMade] = useState<KeyMade | null>(null);
  const enable = useAction(() => change('enable'));
  if (!canWrite(view, of) || of.state === 'revoked') {
    return null;
  }
  async function change(verb: Question | 'enable'): Promise<void> {
    const answer = await call<KeyMade | Key>('POST', `${path}/${verb}`);
    if (verb === 'rotate') {
      setMade(answer as KeyMade);
    } else {
      onChange();
    }
  }
  const ask = (verb: Question) => (
    <Ask
      verb={t.key[verb]}
      title={t.key.questions[verb].title(of.name)}
      text={t.key.questions[verb].text}
      kind={verb === 'revoke' ? 'danger' : 'plain'}
      typed={verb === 'revoke' ? of.name : undefined}
      onConfirm={() => change(verb)}
    />
  );
  const isOff = of.state === 'disabled';
  return (
    <>
      {!view.isSuspended && <a class="button" href={to('keyNew', '', { copy_of: of.id })}>{t.key.copy}</a>}
      {!view.isSuspended && ask('rotate')}
      {isOff && !view.isSuspended && <Button isBusy={enable.isBusy} onClick={() => enable.run()}>{t.key.enable}</Button>}
      {!isOff && ask('disable')}
      {ask('revoke')}
      {made?.secret && (
        <SecretDialog title={t.secret.title(made.key.name)} secret={made.secret} onClose={() => go(to('key', made.key.id))}>
          <p>{t.key.rotated}</p>
        </SecretDialog>
      )}
    </>
  );
}

function KeyAudit({ orgId, id }: { orgId: string; id: string }) {
  const rows = useLoad<Listing<AuditRow>>(`/orgs/${orgId}/audit?limit=20&target=${encodeURIComponent(id)}`);
  return <Section title={t.key.audit}><AuditTable of={rows} /></Section>;
}
