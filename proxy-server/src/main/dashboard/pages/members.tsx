import { useState } from 'preact/hooks';
import {
  call, type Invitation, type Listing, type Loaded, loadSession, type Member, type OrgPageProps, type OrgView, type Role, session,
  useAction, useCreate, useLoad,
} from '../app';
import { t } from '../i18n/en';
import { Ask, Button, Choice, Facts, Field, Form, HandOver, List, Page, Section, State, Time, toast } from '../ui';

const ROLES: Role[] = ['viewer', 'developer', 'billing', 'admin', 'owner'];

/** Roles that the user may give in this organization, with their names. */
function grantable(view: OrgView): [Role, string][] {
  return ROLES.filter((role) => role !== 'owner' || view.may('owners_write')).map((role) => [role, t.roles[role]]);
}

/** Who belongs to the organization, in which role, and who is invited. */
export function MembersPage({ view }: OrgPageProps) {
  const base = `/orgs/${view.org.id}`;
  const members = useLoad<Listing<Member>>(`${base}/members`);
  const invitations = useLoad<Listing<Invitation>>(view.may('invitations_read') ? `${base}/invitations` : null);
  return (
    <Page title={t.pages.members} note={members.data?.total === undefined ? null : t.members.count(members.data.total)}>
      <List
        of={members}
        empty={t.members.empty}
        caption={t.pages.members}
        rowKey={(member) => member.user.id}
        columns={[
          { id: 'name', title: t.members.person, cell: (member) => <>{member.user.name} <span class="small">{member.user.email}</span></> },
          { id: 'role', title: t.members.role, cell: (member) => t.roles[member.role] },
          { id: 'seen', title: t.members.seen, cell: (member) => <Time at={member.last_seen_at} /> },
          { id: 'act', title: t.members.actions, cell: (member) => <MemberActions view={view} of={member} onChange={members.reload} /> },
          { id: 'state', title: t.keys.state, cell: (member) => <State of={member.user.state} /> },
          { id: 'totp', title: t.members.totp, cell: (member) => (member.totp ? t.members.on : t.members.off) },
          { id: 'keys', title: t.pages.keys, cell: (member) => member.keys, isNumber: true },
        ]}
      />
      {view.may('invitations_read') && <Invitations view={view} of={invitations} path={`${base}/invitations`} />}
      <Section title={t.members.explained}><Facts of={ROLES.map((role) => [t.roles[role], t.roleTexts[role]])} /></Section>
    </Page>
  );
}

function MemberActions({ view, of, onChange }: { view: OrgView; of: Member; onChange(): void }) {
  const [role, setRole] = useState(of.role);
  const path = `/orgs/${view.org.id}/members/${of.user.id}`;
  if (!view.may(of.role === 'owner' ? 'owners_write' : 'members_write')) {
    return null;
  }
  const change = async () => {
    await call('PATCH', path, { body: { role }, version: of.version });
    toast(t.members.changed(of.user.name, t.roles[role]));
    onChange();
    if (of.user.id === session.get()?.user.id) {
      await loadSession();
    }
  };
  const remove = async () => {
    await call('DELETE', path);
    toast(t.members.removed(of.user.name));
    onChange();
  };
  const changeTitle = t.members.changeTitle(of.user.name);
  const removeTitle = t.members.removeTitle(of.user.name);
  return (
    <span class="copy">
      <Ask verb={t.members.change} label={changeTitle} title={changeTitle} text={t.members.changeText} onConfirm={change}>
        <Choice label={t.members.role} value={role} options={grantable(view)} onValue={setRole} />
      </Ask>
      <Ask verb={t.members.remove} label={removeTitle} title={removeTitle} text={t.members.removeText(of.keys)} onConfirm={remove} />
    </span>
  );
}

function Invitations({ view, of, path }: { view: OrgView; of: Loaded<Listing<Invitation>>; path: string }) {
  const [made, setMade] = useState<Invitation | null>(null);
  const show = (invitation: Invitation) => {
    setMade(invitation);
    toast(invitation.invite_url ? t.members.linkMade : t.members.invited(invitation.email));
    of.reload();
  };
  return (
    <Section title={t.members.invitations}>
      {made && <HandOver text={t.members.noMail(made.email)} link={made.invite_url} />}
      {view.may('invitations_write') && <Invite view={view} path={path} onMade={show} />}
      <List
        of={of}
        empty={t.members.noInvitations}
        bones={2}
        caption={t.members.invitations}
        rowKey={(one) => one.id}
        columns={[
          { id: 'email', title: t.signIn.email, cell: (one) => one.email },
          { id: 'role', title: t.members.role, cell: (one) => t.roles[one.role] },
          { id: 'until', title: t.members.until, cell: (one) => <Time at={one.expires_at} /> },
          { id: 'act', title: t.members.actions, cell: (one) => <InvitationActions view={view} path={path} of={one} onShow={show} onGone={of.reload} /> },
          { id: 'by', title: t.members.by, cell: (one) => one.invited_by },
        ]}
      />
    </Section>
  );
}

function Invite({ view, path, onMade }: { view: OrgView; path: string; onMade(made: Invitation): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const create = useCreate<Invitation>(path);
  const send = useAction(async () => {
    onMade(await create({ email, role }));
    setEmail('');
  });
  if (view.isSuspended) {
    return <p class="small">{t.reasons.organization_suspended}</p>;
  }
  return (
    <Form of={send} params={['email']}>
      <div class="chips">
        <Field label={t.signIn.email} type="email" value={email} onValue={setEmail} isRequired error={send.error?.issueOf('email')} />
        <Choice label={t.members.role} value={role} options={grantable(view)} onValue={setRole} />
        <Button type="submit" kind="primary" isBusy={send.isBusy}>{t.members.invite}</Button>
      </div>
    </Form>
  );
}

function InvitationActions({ view, path, of, onShow, onGone }: { view: OrgView; path: string; of: Invitation; onShow(made: Invitation): void; onGone(): void }) {
  const resend = async () => onShow(await call<Invitation>('POST', `${path}/${of.id}/resend`));
  const withdraw = async () => {
    await call('DELETE', `${path}/${of.id}`);
    onGone();
  };
  return view.may('invitations_write') ? (
    <span class="copy">
      {!view.isSuspended && <Ask verb={t.members.resend} title={`${t.members.resend}: ${of.email}`} text={t.members.resendText} onConfirm={resend} />}
      <Ask verb={t.members.withdraw} title={`${t.members.withdraw}: ${of.email}`} text={t.members.withdrawText} onConfirm={withdraw} />
    </span>
  ) : null;
}
