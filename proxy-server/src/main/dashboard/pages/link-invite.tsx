import { useEffect, useState } from 'preact/hooks';
import { call } from '../app/api';
import { useAction } from '../app/load';
import { takeFragment, to } from '../app/router';
import { session, signedIn } from '../app/session';
import type { InvitationLook, Session } from '../app/types';
import { t } from '../i18n/en';
import { Field, Form, FormError } from '../ui/field';
import { Button, Page, Time } from '../ui/parts';
import { Skeleton } from '../ui/view';
import { NewPassword, SignInPage } from './sign-in';

/** Joins an organization by an invitation: as the account signed in, or with a new one. */
export function InvitePage() {
  const [token] = useState(takeFragment);
  const [invitation, setInvitation] = useState<InvitationLook | null>(null);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const who = session.use();
  const look = useAction(async () => {
    setInvitation(await call<InvitationLook>('POST', '/auth/invitations/look', { body: { token } }));
  });
  const accept = useAction(async () => {
    const person = who ? {} : { name, password };
    signedIn(await call<Session>('POST', '/auth/invitations/accept', { body: { token, ...person } }), '/');
  });
  useEffect(() => look.run(), []);
  if (look.error) {
    return (
      <Page title={t.links.invite}>
        <FormError error={look.error} />
        <p>{t.links.inviteGone}</p>
      </Page>
    );
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
      <Form onSend={accept.run} error={accept.error} params={['name', 'password']}>
        <p>
          {t.links.inviteText(invitation.invited_by?.name ?? t.roles.operator, t.roles[invitation.role], invitation.email)}{' '}
          {t.links.until} <Time at={invitation.expires_at} />.
        </p>
        {!who && (
          <>
            <Field
              label={t.signIn.name}
              value={name}
              onValue={setName}
              isRequired
              error={accept.error?.issueOf('name')}
              input={{ autocomplete: 'name' }}
            />
            <NewPassword value={password} onValue={setPassword} error={accept.error?.issueOf('password')} />
          </>
        )}
        <div class="buttons">
          <a class="button" href={to('signIn')}>{t.links.notMe}</a>
          <Button type="submit" kind="primary" isBusy={accept.isBusy}>{t.links.accept}</Button>
        </div>
      </Form>
    </Page>
  );
}
