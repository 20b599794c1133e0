import { useEffect, useState } from 'preact/hooks';
import { call, type InvitationLook, session, type Session, signedIn, takeFragment, to, useAction } from '../app';
import { t } from '../i18n/en';
import { Button, Form, FormError, Page, Skeleton, Time, useFields } from '../ui';
import { NameAndPassword, SignInPage } from './sign-in';

/** Joins an organization by an invitation: as the account signed in, or with a new one. */
export function InvitePage() {
  const [token] = useState(takeFragment);
  const [invitation, setInvitation] = useState<InvitationLook | null>(null);
  const fields = useFields({ name: '', password: '' });
  const who = session.use();
  const look = useAction(async () => {
    setInvitation(await call<InvitationLook>('POST', '/auth/invitations/look', { body: { token } }));
  });
  const accept = useAction(async () => {
    const person = who ? {} : fields.values;
    signedIn(await call<Session>('POST', '/auth/invitations/accept', { body: { token, ...person } }), '/');
  });
  useEffect(() => look.run(), []);
  if (look.error) {
    return (<Page title={t.links.invite}><FormError error={look.error} /><p>{t.links.inviteGone}</p></Page>);
  }
  if (!invitation) {
    return <Page title={t.links.invite}><Skeleton rows={3} /></Page>;
  }
  if (invitation.account_exists && !who) {
    return (
      <>
        <p>{t.links.inviteSignIn(invitation.email)}</p>
        <SignInPage isPart />
      </>
    );
  }
  return (
    <Page title={t.links.inviteTo(invitation.organization.name)} name={t.links.invite}>
      <Form of={accept} params={fields}>
        <p>
          {t.links.inviteText(invitation.invited_by?.name ?? t.roles.operator, t.roles[invitation.role], invitation.email)}{' '}
          {t.links.until} <Time at={invitation.expires_at} />.
        </p>
        {!who && <NameAndPassword fields={fields} error={accept.error} />}
        <div class="buttons">
          <a class="button" href={to('signIn')}>{t.links.notMe}</a>
          <Button type="submit" kind="primary" isBusy={accept.isBusy}>{t.links.accept}</Button>
        </div>
      </Form>
    </Page>
  );
}
