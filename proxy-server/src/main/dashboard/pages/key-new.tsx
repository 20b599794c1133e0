import { useRef, useState } from 'preact/hooks';
import { call, go, type Key, type KeyMade, newIdempotencyKey, type OrgPageProps, place, to, useAction, useLoad } from '../app';
import { t } from '../i18n/en';
import { Button, Check, Form, Page, SecretDialog, Skeleton, Snippets } from '../ui';
import { draftOf, newBody, problemsOf, type KeyDraft } from './key-draft';
import { KeyFields } from './key-form';

/** Makes a key, perhaps with the scope and limits of another one. */
export function KeyNewPage(props: OrgPageProps) {
  const copyOf = place.use().query.get('copy_of');
  const source = useLoad<Key>(copyOf ? `/orgs/${props.view.org.id}/keys/${encodeURIComponent(copyOf)}` : null);
  if (copyOf && !source.data) {
    return <Page title={t.keys.new}><Skeleton rows={8} /></Page>;
  }
  return <NewKeyForm {...props} source={source.data ?? null} />;
}

function NewKeyForm({ view, source }: OrgPageProps & { source: Key | null }) {
  const base = `/orgs/${view.org.id}`;
  const [draft, setDraft] = useState<KeyDraft>(() => (source ? { ...draftOf(source), name: t.key.copyName(source.name) } : draftOf(null)));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [made, setMade] = useState<KeyMade | null>(null);
  const [isForced, setForced] = useState(false);
  const idempotencyKey = useRef(newIdempotencyKey());
  const send = useAction(async () => {
    const found = problemsOf(draft);
    setProblems(found);
    if (Object.keys(found).length > 0) {
      return;
    }
    const body = { ...newBody(draft), ...(source ? { copy_of: source.id } : {}), ...(isForced ? { force: true } : {}) };
    setMade(await call<KeyMade>('POST', `${base}/keys`, { body, idempotencyKey: idempotencyKey.current }));
  });
  const done = () => {
    if (made) {
      go(to('key', made.key.id));
    }
  };
  return (
    <Page title={t.keys.new} note={source ? t.key.copied(source.name) : null}>
      <Form onSend={send.run} error={send.error} params={['name', 'daily_budget_micro', 'monthly_budget_micro', 'expires_at']}>
        <KeyFields
          orgId={view.org.id}
          draft={draft}
          onDraft={(changed) => {
            // Other content is another attempt.
            idempotencyKey.current = newIdempotencyKey();
            setDraft(changed);
          }}
          problems={problems}
          error={send.error}
        />
        {send.error?.issueOf('allowed_models') && <Check label={t.key.force} isOn={isForced} onChange={setForced} />}
        <div class="buttons">
          <a class="button" href={to('keys')}>{t.dialogs.cancel}</a>
          <Button type="submit" kind="primary" isBusy={send.isBusy} disabled={view.isSuspended}>{t.keys.make}</Button>
        </div>
        {view.isSuspended && <p class="small">{t.reasons.organization_suspended}</p>}
      </Form>
      {made && made.secret !== null && (
        <SecretDialog title={t.secret.title(made.key.name)} secret={made.secret} onClose={done}>
          <Snippets secret={made.secret} model={made.key.allowed_models[0] ?? 'tollgate/demo-chat'} />
        </SecretDialog>
      )}
      {made && made.secret === null && (
        <p class="conflict" role="alert">{t.secret.shown} <a href={to('key', made.key.id)}>{made.key.name}</a></p>
      )}
    </Page>
  );
}
