import { useRef, useState } from 'preact/hooks';
import { call, newIdempotencyKey, type OperatorOrg, type OperatorUser, place, setQuery, to, useAction, usePages } from '../app';
import { t } from '../i18n/en';
import {
  Ask, Button, Choice, Copy, Dialog, Field, Form, Money, More, optionalUsd, optionalWhole, Page, State, Table, Time, toast,
  usdField, useFields, View,
} from '../ui';

const KEYS_MAX = 1_000_000;
type OrgMade = { invite_url: string | null };

/** All organizations, for operators. */
export function OperatorOrgsPage() {
  const { query } = place.use();
  const [isNew, setNew] = useState(false);
  const [edited, setEdited] = useState<OperatorOrg | null>(null);
  const orgs = usePages<OperatorOrg>(`/operator/orgs?${pick(query, ['q', 'state', 'sort'])}`);
  return (
    <Page title={t.pages.operatorOrgs} actions={<Button kind="primary" onClick={() => setNew(true)}>{t.operator.newOrg}</Button>}>
      <div class="chips">
        <Field label={t.keys.search} type="search" value={query.get('q') ?? ''} onValue={(q) => setQuery({ q }, true)} />
        <Choice label={t.keys.state} value={query.get('state') ?? ''} options={t.operator.orgStates} onValue={(state) => setQuery({ state })} />
        <Choice label={t.keys.sort} value={query.get('sort') ?? 'name'} options={t.operator.orgSorts} onValue={(sort) => setQuery({ sort })} />
      </div>
      <View of={orgs.first} isEmpty={() => orgs.rows.length === 0} empty={<p>{t.operator.noOrgs}</p>}>
        {() => (
          <Table
            caption={t.pages.operatorOrgs}
            rows={orgs.rows}
            rowKey={(org) => org.id}
            columns={[
              { id: 'name', title: t.org.name, cell: (org) => <a href={to('requests', '', { org: org.id })}>{org.display_name ?? org.name}</a> },
              { id: 'state', title: t.keys.state, cell: (org) => <State of={org.state} /> },
              { id: 'balance', title: t.credits.balance, cell: (org) => <Money micro={org.balance_micro} />, isNumber: true },
              { id: 'act', title: t.members.actions, cell: (org) => <Button aria-label={t.operator.editOf(org.name)} onClick={() => setEdited(org)}>{t.operator.edit}</Button> },
              { id: 'month', title: t.keys.month, cell: (org) => <Money micro={org.month_micro} />, isNumber: true },
              { id: 'keys', title: t.pages.keys, cell: (org) => org.keys.count, isNumber: true },
              { id: 'owner', title: t.roles.owner, cell: (org) => org.owner },
            ]}
          />
        )}
      </View>
      <More of={orgs} />
      {isNew && <NewOrg onClose={() => setNew(false)} onMade={orgs.first.reload} />}
      {edited && <EditOrg of={edited} onClose={() => setEdited(null)} onSaved={orgs.first.reload} />}
    </Page>
  );
}

function pick(query: URLSearchParams, names: string[]): URLSearchParams {
  const params = new URLSearchParams({ limit: '50' });
  for (const name of names) {
    const value = query.get(name);
    if (value) {
      params.set(name, value);
    }
  }
  return params;
}

function NewOrg({ onClose, onMade }: { onClose(): void; onMade(): void }) {
  const fields = useFields({ name: '', owner_email: '' });
  const [link, setLink] = useState<string | null>(null);
  const idempotencyKey = useRef(newIdempotencyKey());
  const { name, owner_email: email } = fields.values;
  const send = useAction(async () => {
    const body = { name, ...(email === '' ? {} : { owner_email: email }) };
    const made = await call<OrgMade>('POST', '/operator/orgs', { body, idempotencyKey: idempotencyKey.current });
    onMade();
    if (made.invite_url) {
      setLink(made.invite_url);
    } else {
      onClose();
    }
  });
  return (
    <Dialog title={t.operator.newOrg} onClose={onClose}>
      {link ? (
        <>
          <p>{t.members.noMail(email)}</p>
          <Copy text={link} label={t.members.copyLink} />
          <div class="buttons"><Button onClick={onClose}>{t.dialogs.close}</Button></div>
        </>
      ) : (
        <Form onSend={send.run} error={send.error} params={['name', 'owner_email']}>
          <Field label={t.org.name} {...fields.of('name', send.error)} isRequired hint={t.org.nameHint} />
          <Field label={t.operator.ownerEmail} type="email" {...fields.of('owner_email', send.error)} />
          <div class="buttons">
            <Button onClick={onClose}>{t.dialogs.cancel}</Button>
            <Button type="submit" kind="primary" isBusy={send.isBusy}>{t.operator.make}</Button>
          </div>
        </Form>
      )}
    </Dialog>
  );
}

function EditOrg({ of, onClose, onSaved }: { of: OperatorOrg; onClose(): void; onSaved(): void }) {
  const [state, setState] = useState<string>(of.state);
  const before = { monthly_limit_cap_micro: usdField(of.monthly_limit_cap_micro), max_api_keys: of.keys.max.toString(), reason: '' };
  const fields = useFields(before);
  const save = useAction(async () => {
    const { values } = fields;
    const cap = optionalUsd(values.monthly_limit_cap_micro);
    const keysMax = optionalWhole(values.max_api_keys, 0, KEYS_MAX);
    const isSound = fields.check({
      monthly_limit_cap_micro: cap === undefined ? t.problems.money : undefined,
      max_api_keys: keysMax === undefined ? t.problems.whole : undefined,
    });
    if (!isSound) {
      return;
    }
    const body = {
      ...(state === of.state ? {} : { state }),
      ...(of.state === 'closed' && state !== 'closed' ? { closed: false } : {}),
      ...(values.monthly_limit_cap_micro === before.monthly_limit_cap_micro ? {} : { monthly_limit_cap_micro: cap }),
      ...(values.max_api_keys === before.max_api_keys ? {} : { max_api_keys: keysMax }),
      reason: values.reason,
    };
    await call('PATCH', `/operator/orgs/${of.id}`, { body, version: of.version });
    toast(t.key.saved);
    onSaved();
    onClose();
  });
  const states = t.operator.orgStates.filter(([one]) => one !== '' && (one !== 'closed' || of.state === 'closed'));
  return (
    <Dialog title={of.name} onClose={onClose}>
      <Form onSend={save.run} error={save.error} params={['reason', 'monthly_limit_cap_micro', 'max_api_keys']}>
        <Choice label={t.keys.state} value={state} options={states} onValue={setState} hint={t.operator.stateHint} />
        <Field label={t.operator.cap} {...fields.of('monthly_limit_cap_micro', save.error)} suffix="USD" />
        <Field label={t.operator.keysMax} {...fields.of('max_api_keys', save.error)} />
        <Field label={t.credits.reason} {...fields.of('reason', save.error)} isRequired />
        <div class="buttons">
          <Button onClick={onClose}>{t.dialogs.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={save.isBusy}>{t.key.save}</Button>
        </div>
      </Form>
    </Dialog>
  );
}

type UserAct = 'disable' | 'enable' | 'promote' | 'demote' | 'reset' | 'end';

/** All people with an account, for operators. */
export function OperatorUsersPage() {
  const { query } = place.use();
  const users = usePages<OperatorUser>(`/operator/users?${pick(query, ['q', 'state'])}`);
  const [link, setLink] = useState<string | null>(null);
  const act = async (user: OperatorUser, verb: UserAct) => {
    setLink(await change(user, verb));
    toast(t.operator.done[verb](user.name));
    users.first.reload();
  };
  const actions = (user: OperatorUser) => (
    <span class="copy">
      {actsOf(user).map((verb) => {
        const title = `${t.operator.acts[verb]}: ${user.name}`;
        return <Ask key={verb} verb={t.operator.acts[verb]} label={title} title={title} text={t.operator.actTexts[verb]} onConfirm={() => act(user, verb)} />;
      })}
    </span>
  );
  return (
    <Page title={t.pages.operatorUsers}>
      <div class="chips">
        <Field label={t.keys.search} type="search" value={query.get('q') ?? ''} onValue={(q) => setQuery({ q }, true)} />
        <Choice label={t.keys.state} value={query.get('state') ?? ''} options={t.operator.userStates} onValue={(state) => setQuery({ state })} />
      </div>
      {link && <div class="conflict" role="status"><p>{t.operator.resetLink}</p><Copy text={link} label={t.members.copyLink} /></div>}
      <View of={users.first} isEmpty={() => users.rows.length === 0} empty={<p>{t.operator.noUsers}</p>}>
        {() => (
          <Table
            caption={t.pages.operatorUsers}
            rows={users.rows}
            rowKey={(user) => user.id}
            columns={[
              { id: 'name', title: t.members.person, cell: (user) => <>{user.name} <span class="small">{user.email}</span></> },
              { id: 'state', title: t.keys.state, cell: (user) => <State of={user.state} /> },
              { id: 'operator', title: t.roles.operator, cell: (user) => (user.operator ? t.operator.yes : t.operator.no) },
              { id: 'act', title: t.members.actions, cell: actions },
              { id: 'seen', title: t.members.seen, cell: (user) => <Time at={user.last_seen_at} /> },
            ]}
          />
        )}
      </View>
      <More of={users} />
    </Page>
  );
}

function actsOf(user: OperatorUser): UserAct[] {
  if (user.state === 'closed') {
    return [];
  }
  return [user.state === 'disabled' ? 'enable' : 'disable', user.operator ? 'demote' : 'promote', 'reset', 'end'];
}

/** Does one act; returns the link of a reset where no mail takes it. */
async function change(user: OperatorUser, act: UserAct): Promise<string | null> {
  const path = `/operator/users/${user.id}`;
  const patch = (body: unknown) => call<null>('PATCH', path, { body }).then(() => null);
  switch (act) {
    case 'disable':
      return patch({ state: 'disabled' });
    case 'enable':
      return patch({ state: 'active' });
    case 'promote':
      return patch({ operator: true });
    case 'demote':
      return patch({ operator: false });
    case 'reset':
      return (await call<{ reset_url?: string } | null>('POST', `${path}/reset-link`))?.reset_url ?? null;
    case 'end':
      await call('DELETE', `${path}/sessions`);
      return null;
  }
}
