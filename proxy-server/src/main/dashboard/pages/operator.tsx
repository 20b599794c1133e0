import { useState } from 'preact/hooks';
import { call, listQuery, type OperatorOrg, type OperatorOrgMade, type OperatorUser, place, to, useAction, useCreate, usePages } from '../app';
import { t } from '../i18n/en';
import {
  Ask, Button, Choice, Dialog, Field, Form, HandOver, List, Money, MONEY, Page, QueryChoice, QueryField, State, Time, toast, usdField,
  useFields, wholeUpTo,
} from '../ui';

const LIMITS = { monthly_limit_cap_micro: MONEY, max_api_keys: wholeUpTo(1_000_000) };

/** All organizations, for operators. */
export function OperatorOrgsPage() {
  const { query } = place.use();
  const [isNew, setNew] = useState(false);
  const [edited, setEdited] = useState<OperatorOrg | null>(null);
  const [made, setMade] = useState<{ email: string; link: string | null } | null>(null);
  const orgs = usePages<OperatorOrg>(`/operator/orgs?${listQuery(query, ['q', 'state', 'sort'])}`);
  const shown = (email: string, link: string | null) => {
    setMade({ email, link });
    orgs.first.reload();
  };
  return (
    <Page title={t.pages.operatorOrgs} actions={<Button kind="primary" onClick={() => setNew(true)}>{t.operator.newOrg}</Button>}>
      <div class="chips">
        <QueryField name="q" label={t.keys.search} />
        <QueryChoice name="state" label={t.keys.state} options={t.operator.orgStates} />
        <QueryChoice name="sort" label={t.keys.sort} options={t.operator.orgSorts} />
      </div>
      <HandOver text={t.members.noMail(made?.email ?? '')} link={made?.link} />
      <List
        of={orgs}
        empty={t.operator.noOrgs}
        caption={t.pages.operatorOrgs}
        rowKey={(org) => org.id}
        columns={[
          { id: 'name', title: t.org.name, cell: (org) => <a href={to('requests', '', { org: org.id })}>{org.display_name ?? org.name}</a> },
          { id: 'state', title: t.keys.state, cell: (org) => <State of={org.state} /> },
          { id: 'balance', title: t.credits.balance, cell: (org) => <Money micro={org.balance_micro} />, isNumber: true },
          { id: 'act', title: t.members.actions, cell: (org) => <Button aria-label={t.operator.editOf(org.name)} onClick={() => setEdited(org)}>{t.operator.edit}</Button> },
          { id: 'month', title: t.keys.month, cell: (org) => <Money micro={org.month_micro} />, isNumber: true },
          { id: 'cost', title: t.operator.cost, cell: (org) => <Money micro={org.month_operator_cost_micro} />, isNumber: true },
          { id: 'margin', title: t.operator.margin, cell: (org) => <Money micro={org.month_margin_micro} />, isNumber: true },
          { id: 'keys', title: t.pages.keys, cell: (org) => org.keys.count, isNumber: true },
          { id: 'owner', title: t.roles.owner, cell: (org) => org.owner },
        ]}
      />
      {isNew && <NewOrg onClose={() => setNew(false)} onMade={shown} />}
      {edited && <EditOrg of={edited} onClose={() => setEdited(null)} onSaved={orgs.first.reload} />}
    </Page>
  );
}

function NewOrg({ onClose, onMade }: { onClose(): void; onMade(email: string, link: string | null): void }) {
  const fields = useFields({ name: '', owner_email: '' });
  const create = useCreate<OperatorOrgMade>('/operator/orgs');
  const send = useAction(async () => {
    const { name, owner_email: email } = fields.values;
    const made = await create({ name, ...(email === '' ? {} : { owner_email: email }) });
    onMade(email, made.invite_url);
    onClose();
  });
  return (
    <Dialog title={t.operator.newOrg} onClose={onClose}>
      <Form of={send} params={fields} verb={t.operator.make} onCancel={onClose}>
        <Field label={t.org.name} {...fields.of('name', send.error)} isRequired hint={t.org.nameHint} />
        <Field label={t.operator.ownerEmail} type="email" {...fields.of('owner_email', send.error)} />
      </Form>
    </Dialog>
  );
}

function EditOrg({ of, onClose, onSaved }: { of: OperatorOrg; onClose(): void; onSaved(): void }) {
  const [state, setState] = useState<string>(of.state);
  const before = { monthly_limit_cap_micro: usdField(of.monthly_limit_cap_micro), max_api_keys: of.keys.max.toString(), reason: '' };
  const fields = useFields(before);
  const save = useAction(async () => {
    const limits = fields.parse(LIMITS);
    if (!limits) {
      return;
    }
    const changed = Object.entries(limits).filter(([name]) => fields.values[name as keyof typeof limits] !== before[name as keyof typeof limits]);
    const body = {
      ...(state === of.state ? {} : { state }),
      ...(of.state === 'closed' && state !== 'closed' ? { closed: false } : {}),
      ...Object.fromEntries(changed),
      reason: fields.values.reason,
    };
    await call('PATCH', `/operator/orgs/${of.id}`, { body, version: of.version });
    toast(t.key.saved);
    onSaved();
    onClose();
  });
  const states = t.operator.orgStates.filter(([one]) => one !== '' && (one !== 'closed' || of.state === 'closed'));
  return (
    <Dialog title={of.name} onClose={onClose}>
      <Form of={save} params={fields} verb={t.key.save} onCancel={onClose}>
        <Choice label={t.keys.state} value={state} options={states} onValue={setState} hint={t.operator.stateHint} />
        <Field label={t.operator.cap} {...fields.of('monthly_limit_cap_micro', save.error)} suffix="USD" />
        <Field label={t.operator.keysMax} {...fields.of('max_api_keys', save.error)} />
        <Field label={t.credits.reason} {...fields.of('reason', save.error)} isRequired />
      </Form>
    </Dialog>
  );
}

type UserAct = keyof typeof t.operator.acts;

/** Method, end of the path and body of each act. */
const ACTS: Record<UserAct, [string, string, unknown?]> = {
  disable: ['PATCH', '', { state: 'disabled' }],
  enable: ['PATCH', '', { state: 'active' }],
  promote: ['PATCH', '', { operator: true }],
  demote: ['PATCH', '', { operator: false }],
  reset: ['POST', '/reset-link'],
  end: ['DELETE', '/sessions'],
};

/** All people with an account, for operators. */
export function OperatorUsersPage() {
  const { query } = place.use();
  const users = usePages<OperatorUser>(`/operator/users?${listQuery(query, ['q', 'state'])}`);
  const [link, setLink] = useState<string | null>(null);
  const act = async (user: OperatorUser, verb: UserAct) => {
    const [method, end, body] = ACTS[verb];
    // Only a reset answers with a link, and only where no mail takes it.
    const done = await call<{ reset_url?: string | null } | null>(method, `/operator/users/${user.id}${end}`, body ? { body } : {});
    setLink(done?.reset_url ?? null);
    toast(t.operator.done(t.operator.acts[verb], user.name));
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
        <QueryField name="q" label={t.keys.search} />
        <QueryChoice name="state" label={t.keys.state} options={t.operator.userStates} />
      </div>
      <HandOver text={t.operator.resetLink} link={link} />
      <List
        of={users}
        empty={t.operator.noUsers}
        caption={t.pages.operatorUsers}
        rowKey={(user) => user.id}
        columns={[
          { id: 'name', title: t.members.person, cell: (user) => <>{user.name} <span class="small">{user.email}</span></> },
          { id: 'state', title: t.keys.state, cell: (user) => <State of={user.state} /> },
          { id: 'operator', title: t.roles.operator, cell: (user) => (user.operator ? t.operator.yes : t.operator.no) },
          { id: 'act', title: t.members.actions, cell: actions },
          { id: 'seen', title: t.members.seen, cell: (user) => <Time at={user.last_seen_at} /> },
        ]}
      />
    </Page>
  );
}

function actsOf({ state, operator }: OperatorUser): UserAct[] {
  return state === 'closed' ? [] : [state === 'disabled' ? 'enable' : 'disable', operator ? 'demote' : 'promote', 'reset', 'end'];
}
