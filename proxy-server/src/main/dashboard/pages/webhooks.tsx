import { useState } from 'preact/hooks';
import { call } from '../app/api';
import type { OrgPageProps } from '../app/app';
import { useAction, useLoad } from '../app/load';
import type { WebhookSecret } from '../app/types';
import { t } from '../i18n/en';
import { Confirm } from '../ui/dialog';
import { Choice, FormError } from '../ui/field';
import { Button, Copy, Facts, Page, Section, Time } from '../ui/parts';
import { View } from '../ui/view';

const KEEPS = ['0', '3600', '86400', '604800'] as const;

/** The secret that signs the organization's webhooks: since when, its text, a new one. */
export function WebhooksPage({ view }: OrgPageProps) {
  const path = `/orgs/${view.org.id}/webhooks/secret`;
  const secret = useLoad<WebhookSecret>(path);
  const [shown, setShown] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [keep, setKeep] = useState<(typeof KEEPS)[number]>('86400');
  const reveal = useAction(async () => setShown((await call<{ secret: string }>('POST', `${path}/reveal`)).secret));
  const rotate = useAction(async () => {
    const made = await call<{ secret: string }>('POST', `${path}/rotate`, { body: { keep_seconds: Number(keep) } });
    setAsked(false);
    setShown(made.secret);
    secret.reload();
  });
  return (
    <Page title={t.pages.webhooks}>
      <p>{t.webhooks.text}</p>
      <Section title={t.webhooks.secret}>
        <View of={secret} rows={2}>
          {(data) => (
            <>
              <Facts
                of={[
                  [t.webhooks.made, data.created_at ? <Time key="made" at={data.created_at} /> : t.webhooks.none],
                  [t.webhooks.previous, data.previous_until ? <Time key="until" at={data.previous_until} isFull /> : t.webhooks.noPrevious],
                  [t.webhooks.stored, data.sealed ? t.webhooks.sealed : t.webhooks.unsealed],
                ]}
              />
              <p class="secret">{shown ? <Copy text={shown} label={t.secret.copy} /> : <code>whsec_••••••••••••••••</code>}</p>
            </>
          )}
        </View>
        {reveal.error && <FormError error={reveal.error} />}
        <div class="chips">
          {view.may('webhook_secret_reveal') && shown === null && (
            <Button isBusy={reveal.isBusy} onClick={() => reveal.run()}>{t.webhooks.reveal}</Button>
          )}
          {shown !== null && <Button onClick={() => setShown(null)}>{t.webhooks.hide}</Button>}
          {view.may('webhook_secret_rotate') && <Button onClick={() => setAsked(true)}>{t.key.rotate}</Button>}
        </div>
      </Section>
      <Section title={t.webhooks.receivers}>
        <p>{t.webhooks.receiversText}</p>
      </Section>
      {isAsked && (
        <Confirm
          title={t.webhooks.rotateTitle}
          text={<p>{t.webhooks.rotateText}</p>}
          verb={t.key.rotate}
          isBusy={rotate.isBusy}
          error={rotate.error}
          onConfirm={rotate.run}
          onClose={() => setAsked(false)}
        >
          <Choice label={t.webhooks.keep} value={keep} options={KEEPS.map((one) => [one, t.keeps[one]] as const)} onValue={setKeep} />
        </Confirm>
      )}
    </Page>
  );
}
