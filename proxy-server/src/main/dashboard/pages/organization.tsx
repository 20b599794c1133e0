import { useState } from 'preact/hooks';
import { call } from '../app/api';
import type { OrgPageProps } from '../app/app';
import { useAction, useLoad } from '../app/load';
import { go } from '../app/router';
import type { OrgView } from '../app/org-view';
import { loadSession } from '../app/session';
import type { Org } from '../app/types';
import { t } from '../i18n/en';
import { Confirm } from '../ui/dialog';
import { Check, Field, Form } from '../ui/field';
import { Button, Copy, Facts, Money, Page, Section, State, Time } from '../ui/parts';
import { parseUsd, usdField } from '../ui/money';
import { parseWhole } from '../ui/numbers';
import { toast } from '../ui/toast';
import { View } from '../ui/view';

const DAYS_MAX = 36_500;

/** The organization itself: its names, what developers may do with keys, its end. */
export function OrganizationPage({ view }: OrgPageProps) {
  const org = useLoad<Org>(`/orgs/${view.org.id}`);
  return (
    <Page title={t.pages.organization}>
      <View of={org} rows={6}>
        {(of) => (
          <>
            <Facts
              of={[
                [t.org.id, <Copy key="id" text={of.id} />],
                [t.keys.state, <State key="state" of={of.state} />],
                [t.key.created, <Time key="at" at={of.created_at} />],
                [t.pages.keys, t.keys.count(of.keys.count, of.keys.max)],
                [t.credits.limitMonth, <Money key="limit" micro={of.monthly_limit_micro} />],
              ]}
            />
            {view.may('org_update') && !view.isSuspended && <Settings key={of.version} of={of} onSaved={org.set} onStale={org.reload} />}
            <End view={view} of={of} />
          </>
        )}
      </View>
    </Page>
  );
}

function Settings({ of, onSaved, onStale }: { of: Org; onSaved(org: Org): void; onStale(): void }) {
  const policy = of.key_policy;
  const [name, setName] = useState(of.name);
  const [displayName, setDisplayName] = useState(of.display_name ?? '');
  const [isOpen, setOpen] = useState(policy.developers_create);
  const [daily, setDaily] = useState(usdField(policy.daily_budget_max_micro));
  const [monthly, setMonthly] = useState(usdField(policy.monthly_budget_max_micro));
  const [days, setDays] = useState(policy.days_max?.toString() ?? '');
  const [problems, setProblems] = useState<Record<string, string>>({});
  const save = useAction(async () => {
    const found: Record<string, string> = {};
    const money = (member: string, text: string) => {
      const micro = text.trim() === '' ? null : parseUsd(text);
      if (text.trim() !== '' && micro === null) {
        found[member] = t.problems.money;
      }
      return micro;
    };
    const keyPolicy = {
      developers_create: isOpen,
      daily_budget_max_micro: money('daily', daily),
      monthly_budget_max_micro: money('monthly', monthly),
      days_max: days.trim() === '' ? null : parseWhole(days, 1, DAYS_MAX),
    };
    if (days.trim() !== '' && keyPolicy.days_max === null) {
      found.days = t.problems.whole;
    }
    setProblems(found);
    if (Object.keys(found).length > 0) {
      return;
    }
    const body = {
      ...(name === of.name ? {} : { name }),
      ...(displayName === (of.display_name ?? '') ? {} : { display_name: displayName === '' ? null : displayName }),
      ...(JSON.stringify(keyPolicy) === JSON.stringify(policy) ? {} : { key_policy: keyPolicy }),
    };
    onSaved(await call<Org>('PATCH', `/orgs/${of.id}`, { body, version: of.version }));
    await loadSession();
    toast(t.key.saved);
  });
  return (
    <Section title={t.key.settings}>
      <Form onSend={save.run} error={save.error} params={['name', 'display_name']}>
        <Field label={t.org.name} value={name} onValue={setName} isRequired hint={t.org.nameHint} error={save.error?.issueOf('name')} />
        <Field label={t.org.displayName} value={displayName} onValue={setDisplayName} error={save.error?.issueOf('display_name')} />
        <fieldset>
          <legend>{t.org.policy}</legend>
          <p class="small">{t.org.policyHint}</p>
          <Check label={t.org.developersCreate} isOn={isOpen} onChange={setOpen} />
          <div class="columns">
            <Field label={t.org.dailyMax} value={daily} onValue={setDaily} suffix="USD" error={problems.daily} />
            <Field label={t.org.monthlyMax} value={monthly} onValue={setMonthly} suffix="USD" error={problems.monthly} />
            <Field label={t.org.daysMax} value={days} onValue={setDays} suffix={t.org.days} error={problems.days} />
          </div>
        </fieldset>
        {save.error?.reason === 'version' && <Button onClick={onStale}>{t.conflict.reload}</Button>}
        <div class="buttons"><Button type="submit" kind="primary" isBusy={save.isBusy}>{t.key.save}</Button></div>
      </Form>
    </Section>
  );
}

function End({ view, of }: { view: OrgView; of: Org }) {
  const [question, setQuestion] = useState<'leave' | 'close' | null>(null);
  const act = useAction(async (verb: 'leave' | 'close') => {
    await (verb === 'leave' ? call('POST', `/orgs/${of.id}/leave`) : call('DELETE', `/orgs/${of.id}`));
    setQuestion(null);
    await loadSession();
    go('/');
  });
  return (
    <Section title={t.org.end}>
      <div class="chips">
        {view.role !== 'operator' && <Button onClick={() => setQuestion('leave')}>{t.org.leave}</Button>}
        {view.may('org_close') && of.state !== 'closed' && <Button kind="danger" onClick={() => setQuestion('close')}>{t.org.close}</Button>}
      </div>
      {question && (
        <Confirm
          title={t.org[question]}
          text={<p>{question === 'leave' ? t.org.leaveText : t.org.closeText}</p>}
          verb={t.org[question]}
          {...(question === 'close' ? { typed: of.name } : {})}
          isBusy={act.isBusy}
          error={act.error}
          onConfirm={() => act.run(question)}
          onClose={() => setQuestion(null)}
        />
      )}
    </Section>
  );
}
