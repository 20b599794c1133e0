import { useState } from 'preact/hooks';
import { go, type Key, type KeyMade, type OrgPageProps, place, to, useAction, useCreate, useLoad } from '../app';
import { t } from '../i18n/en';
import { Button, Check, Form, Page, SecretDialog, Skeleton, Snippets, useFields } from '../ui';
import { bodyOf, draftOf, PARSERS } from './key-draft';
import { KeyFields, SHOWN } from './key-form';

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
  const fields = useFields(source ? { ...draftOf(source), name: t.key.copyName(source.name) } : draftOf(null));
  const [made, setMade] = useState<KeyMade | null>(null);
  const [isForced, setForced] = useState(false);
  const create = useCreate<KeyMade>(`/orgs/${view.org.id}/keys`);
  const send = useAction(async () => {
    if (fields.parse(PARSERS)) {
      setMade(await create({ ...bodyOf(fields.values, draftOf(null)), ...(source ? { copy_of: source.id } : {}), ...(isForced ? { force: true } : {}) }));
    }
  });
  return (
    <Page title={t.keys.new} note={source ? t.key.copied(source.name) : null}>
      <Form of={send} params={SHOWN}>
        <KeyFields orgId={view.org.id} fields={fields} error={send.error} />
        {send.error?.issueOf('allowed_models') && <Check label={t.key.force} isOn={isForced} onChange={setForced} />}
        <div class="buttons">
          <a class="button" href={to('keys')}>{t.dialogs.cancel}</a>
          <Button type="submit" kind="primary" isBusy={send.isBusy} disabled={view.isSuspended}>{t.keys.make}</Button>
        </div>
        {view.isSuspended && <p class="small">{t.reasons.organization_suspended}</p>}
      </Form>
      {made && made.secret !== null && (
        <SecretDialog title={t.secret.title(made.key.name)} secret={made.secret} onClose={() => go(to('key', made.key.id))}>
          <Snippets secret={made.secret} model={made.key.allowed_models[0] ?? 'tollgate/demo-chat'} />
        </SecretDialog>
      )}
      {made && made.secret === null && (
        <p class="conflict" role="alert">{t.secret.shown} <a href={to('key', made.key.id)}>{made.key.name}</a></p>
      )}
    </Page>
  );
}
