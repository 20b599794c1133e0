import { useRef, useState } from 'preact/hooks';
import {
  call, type Invitation, type Listing, type Loaded, loadSession, type Member, newIdempotencyKey, type OrgPageProps,
  type OrgView, type Role, session, useAction, useLoad,
} from '../app';
import { t } from '../i18n/en';
import { Ask, Button, Choice, Confirm, Copy, Field, Form, Page, Section, State, Table, Time, toast, View } from '../ui';

const ROLES: Role[] = ['viewer', 'developer', 'billing', 'admin', 'owner'];

/** Roles that the user may give in this organization. */
function grantable(view: OrgView): Role[] {
  return ROLES.filter((role) => role !== 'owner' || view.may('owners_write'));
}

/** Who belongs to the organization, in which role, and who is invited. */
export function MembersPage({ view }: OrgPageProps) {
  const base = `/orgs/${view.org.id}`;
  const members = useLoad<Listing<Member>>(`${base}/members`);
  const invitations = useLoad<Listing<Invitation>>(view.may('invitations_read') ? `${base}/invitations` : null);
  return (
    <Page title={t.pages.members} note={members.data?.total === undefined ? null : t.members.count(members.data.total)}>
      <View of={members} rows={5} isEmpty={({ data }) => data.length === 0} empty={<p>{t.members.empty}</p>}>
        {({ data }) => (
          <Table
            caption={t.pages.members}
            rows={data}
            rowKey={(member) => member.user.id}
            columns={[
              { id: 'name', title: t.members.person, cell: (member) => <>{member.user.name} <span class="small">{member.user.email}</span></> },
              { id: 'role', title: t.members.role, cell: (member) => <RoleCell view={view} of={member} onChange={members.reload} /> },
              { id: 'seen', title: t.members.seen, cell: (member) => <Time at={member.last_seen_at} /> },
              { id: 'act', title: t.members.actions, cell: (member) => <Remove view={view} of={member} onRemoved={members.reload} /> },
              { id: 'state', title: t.keys.state, cell: (member) => <State of={member.user.state} /> },
              { id: 'totp', title: t.members.totp, cell: (member) => (member.totp ? t.members.on : t.members.off) },
              { id: 'keys', title: t.pages.keys, cell: (member) => member.keys, isNumber: true },
            ]}
          />
        )}
      </View>
      {view.may('invitations_read') && <Invitations view={view} of={invitations} path={`${base}/invitations`} />}
      <Section title={t.members.explained}>
        <dl class="facts">{ROLES.map((role) => <div key={role}><dt>{t.roles[role]}</dt><dd>{t.roleTexts[role]}</dd></div>)}</dl>
      </Section>
    </Page>
  );
}

function mayTouch(view: OrgView, member: Member): boolean {
  return view.may(member.role === 'owner' ? 'owners_write' : 'members_write');
}

function RoleCell({ view, of, onChange }: { view: OrgView; of: Member; onChange(): void }) {
  const [wanted, setWanted] = useState<Role | null>(null);
  const change = useAction(async (role: Role) => {
    await call('PATCH', `/orgs/${view.org.id}/members/${of.user.id}`, { body: { role }, version: of.version });
    setWanted(null);
    toast(t.members.changed(of.user.name, t.roles[role]));
    onChange();
    if (of.user.id === session.get()?.user.id) {
      await loadSession();
    }
  });
  if (!mayTouch(view, of)) {
    return <>{t.roles[of.role]}</>;
  }
  return (
    <>
      <select
        aria-label={t.members.roleOf(of.user.name)}
        value={wanted ?? of.role}
        onChange={(event) => {
          change.clear();
          setWanted(event.currentTarget.value as Role);
        }}
      >
        {grantable(view).map((role) => <option key={role} value={role} selected={role === (wanted ?? of.role)}>{t.roles[role]}</option>)}
      </select>
      {wanted !== null && wanted !== of.role && (
        <Confirm
          title={t.members.changeTitle(of.user.name)}
          text={<p>{t.members.changeText(t.roles[of.role], t.roles[wanted])}</p>}
          verb={t.members.change}
          isDangerous={false}
          isBusy={change.isBusy}
          error={change.error}
          onConfirm={() => change.run(wanted)}
          onClose={() => setWanted(null)}
        />
      )}
    </>
  );
}

function Remove({ view, of, onRemoved }: { view: OrgView; of: Member; onRemoved(): void }) {
  if (!mayTouch(view, of)) {
    return null;
  }
  const title = t.members.removeTitle(of.user.name);
  const remove = async () => {
    await call('DELETE', `/orgs/${view.org.id}/members/${of.user.id}`);
    toast(t.members.removed(of.user.name));
    onRemoved();
  };
  return <Ask verb={t.members.remove} label={title} title={title} text={t.members.removeText(of.keys)} onConfirm={remove} />;
}

function Invitations({ view, of, path }: { view: OrgView; of: Loaded<Listing<Invitation>>; path: string }) {
  const [link, setLink] = useState<{ email: string; url: string } | null>(null);
  const show = (made: Invitation) => {
    setLink(made.invite_url ? { email: made.email, url: made.invite_url } : null);
    toast(made.invite_url ? t.members.linkMade : t.members.invited(made.email));
    of.reload();
  };
  return (
    <Section title={t.members.invitations}>
      {link && (
        <div class="conflict" role="status">
          <p>{t.members.noMail(link.email)}</p>
          <Copy text={link.url} label={t.members.copyLink} />
        </div>
      )}
      {view.may('invitations_write') && <Invite view={view} path={path} onMade={show} />}
      <View of={of} rows={2} isEmpty={({ data }) => data.length === 0} empty={<p>{t.members.noInvitations}</p>}>
        {({ data }) => (
          <Table
            caption={t.members.invitations}
            rows={data}
            rowKey={(one) => one.id}
            columns={[
              { id: 'email', title: t.signIn.email, cell: (one) => one.email },
              { id: 'role', title: t.members.role, cell: (one) => t.roles[one.role] },
              { id: 'until', title: t.members.until, cell: (one) => <Time at={one.expires_at} /> },
              { id: 'act', title: t.members.actions, cell: (one) => <InvitationActions view={view} path={path} of={one} onShow={show} onGone={of.reload} /> },
              { id: 'by', title: t.members.by, cell: (one) => one.invited_by },
            ]}
          />
        )}
      </View>
    </Section>
  );
}

function Invite({ view, path, onMade }: { view: OrgView; path: string; onMade(made: Invitation): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const idempotencyKey = useRef(newIdempotencyKey());
  const send = useAction(async () => {
    const made = await call<Invitation>('POST', path, { body: { email, role }, idempotencyKey: idempotencyKey.current });
    idempotencyKey.current = newIdempotencyKey();
    setEmail('');
    onMade(made);
  });
  if (view.isSuspended) {
    return <p class="small">{t.reasons.organization_suspended}</p>;
  }
  return (
    <Form onSend={send.run} error={send.error} params={['email']}>
      <div class="chips">
        <Field label={t.signIn.email} type="email" value={email} onValue={setEmail} isRequired error={send.error?.issueOf('email')} />
        <Choice label={t.members.role} value={role} options={grantable(view).map((one) => [one, t.roles[one]] as const)} onValue={setRole} />
        <Button type="submit" kind="primary" isBusy={send.isBusy}>{t.members.invite}</Button>
      </div>
    </Form>
  );
}

interface InvitationActionsProps { view: OrgView; path: string; of: Invitation; onShow(made: Invitation): void; onGone(): void }

function InvitationActions({ view, path, of, onShow, onGone }: InvitationActionsProps) {
  const act = useAction(async (verb: 'resend' | 'revoke') => {
    if (verb === 'resend') {
      onShow({ ...of, ...((await call<Invitation | null>('POST', `${path}/${of.id}/resend`)) ?? {}) });
    } else {
      await call('DELETE', `${path}/${of.id}`);
      onGone();
    }
  });
  if (!view.may('invitations_write')) {
    return null;
  }
  return (
    <span class="copy">
      {!view.isSuspended && <Button isBusy={act.isBusy} onClick={() => act.run('resend')}>{t.members.resend}</Button>}
      <Button isBusy={act.isBusy} onClick={() => act.run('revoke')}>{t.members.withdraw}</Button>
      {act.error && <span class="wrong" role="alert">{act.error.message}</span>}
    </span>
  );
}
