import { useEffect, useState } from 'preact/hooks';
import { call, get, type Key, useAction } from '../app';
import { t } from '../i18n/en';
import { Button, Check, Form, Section, Table, toast, useFields } from '../ui';
import { bodyOf, draftOf, PARSERS } from './key-draft';
import { KeyFields, SHOWN } from './key-form';

interface KeyEditProps { orgId: string; path: string; latest: Key; onSaved(key: Key): void }

/** Edits a key from the version that was opened; a newer one is shown beside what was typed. */
export function KeyEdit({ orgId, path, latest, onSaved }: KeyEditProps) {
  const [base, setBase] = useState(latest);
  const fields = useFields(draftOf(latest));
  const [theirs, setTheirs] = useState<Key | null>(null);
  const [isForced, setForced] = useState(false);
  const mine = bodyOf(fields.values, draftOf(base));
  const isChanged = Object.keys(mine).length > 0;
  const take = (key: Key) => {
    setBase(key);
    fields.set(draftOf(key));
    setTheirs(null);
  };
  useEffect(() => {
    if (latest.version !== base.version && !isChanged && !theirs) {
      take(latest);
    }
  }, [latest.version]);
  const save = useAction(async (version: number) => {
    if (!fields.parse(PARSERS) || !isChanged) {
      return;
    }
    try {
      const saved = await call<Key>('PATCH', path, { body: { ...mine, ...(isForced ? { force: true } : {}) }, version });
      take(saved);
      onSaved(saved);
      toast(t.key.saved);
    } catch (thrown) {
      if ((thrown as { reason?: string }).reason !== 'version') {
        throw thrown;
      }
      setTheirs(await get<Key>(path));
    }
  });
  return (
    <Section title={t.key.settings}>
      <Form of={{ ...save, run: () => save.run(base.version) }} params={SHOWN}>
        <KeyFields orgId={orgId} fields={fields} error={save.error} />
        {save.error?.issueOf('allowed_models') && <Check label={t.key.force} isOn={isForced} onChange={setForced} />}
        {theirs && (
          <Conflict base={base} theirs={theirs} mine={mine} isBusy={save.isBusy} onReload={() => take(theirs)} onApply={() => save.run(theirs.version)} />
        )}
        <div class="buttons">
          <Button disabled={!isChanged} onClick={() => take(base)}>{t.key.undo}</Button>
          <Button type="submit" kind="primary" isBusy={save.isBusy} disabled={!isChanged || theirs !== null}>{t.key.save}</Button>
        </div>
      </Form>
    </Section>
  );
}

interface ConflictProps { base: Key; theirs: Key; mine: Record<string, unknown>; isBusy: boolean; onReload(): void; onApply(): void }

/** The key was changed meanwhile: both changes, and which to take. */
function Conflict({ base, theirs, mine, isBusy, onReload, onApply }: ConflictProps) {
  const now = bodyOf(draftOf(theirs));
  const changed = bodyOf(draftOf(theirs), draftOf(base));
  const fields = [...new Set([...Object.keys(changed), ...Object.keys(mine)])];
  return (
    <div class="conflict" role="alert">
      <h3>{t.conflict.title}</h3>
      <Table
        caption={t.conflict.title}
        rows={fields}
        rowKey={(field) => field}
        columns={[
          { id: 'field', title: t.conflict.field, cell: (field) => t.fields[field] ?? field },
          { id: 'theirs', title: t.conflict.theirs, cell: (field) => <code>{JSON.stringify(now[field])}</code> },
          { id: 'mine', title: t.conflict.mine, cell: (field) => (field in mine ? <code>{JSON.stringify(mine[field])}</code> : t.conflict.unchanged) },
        ]}
      />
      <div class="buttons">
        <Button onClick={onReload}>{t.conflict.reload}</Button>
        <Button kind="primary" isBusy={isBusy} onClick={onApply}>{t.conflict.apply}</Button>
      </div>
    </div>
  );
}
