import { useState } from 'preact/hooks';
import { type ApiError, type LimitsView, type Listing, type Model, useLoad } from '../app';
import { t } from '../i18n/en';
import { Check, Field } from '../ui';
import { LIMITS, MODALITIES, type KeyDraft } from './key-draft';

const MODELS_SHOWN_MAX = 100;

type TextName = 'name' | 'note' | 'ips' | 'daily' | 'monthly' | 'expires';

interface KeyFieldsProps {
  orgId: string;
  draft: KeyDraft;
  onDraft(draft: KeyDraft): void;
  problems: Record<string, string>;
  error: ApiError | undefined;
}

/** The sections of a key: what it may do, from where, how fast, for how much and until when. */
export function KeyFields({ orgId, draft, onDraft, problems, error }: KeyFieldsProps) {
  const defaults = useLoad<LimitsView>(`/orgs/${orgId}/limits`).data?.key_defaults;
  const set = (change: Partial<KeyDraft>) => onDraft({ ...draft, ...change });
  const wrong = (param: string) => problems[param] ?? error?.issueOf(param);
  const field = (name: TextName, param: string) => ({ value: draft[name], onValue: (text: string) => set({ [name]: text }), error: wrong(param) });
  const money = { suffix: 'USD', hint: t.key.budgetHint, input: { inputMode: 'decimal' } } as const;
  return (
    <>
      <Field label={t.key.name} {...field('name', 'name')} isRequired />
      <Field label={t.key.note} {...field('note', 'note')} />
      <fieldset>
        <legend>{t.key.what}</legend>
        <ModelPicker orgId={orgId} chosen={draft.models} onChosen={(models) => set({ models })} error={wrong('allowed_models')} />
        <p>{t.key.modalities}</p>
        <div class="chips">
          {MODALITIES.map((one) => (
            <Check key={one} label={one} isOn={draft.modalities.includes(one)} onChange={(isOn) => set({ modalities: toggled(draft.modalities, one, isOn) })} />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>{t.key.where}</legend>
        <Field label={t.key.ips} {...field('ips', 'allowed_ips')} isArea hint={t.key.ipsHint} />
      </fieldset>
      <fieldset>
        <legend>{t.key.fast}</legend>
        <div class="columns">
          {LIMITS.map((name) => (
            <Field
              key={name}
              label={t.limits[name]}
              value={draft.limits[name]}
              onValue={(value) => set({ limits: { ...draft.limits, [name]: value } })}
              hint={t.key.limitHint(defaults?.[name] ?? null)}
              error={wrong(`limits.${name}`) ?? error?.issueOf(name)}
              input={{ inputMode: 'numeric' }}
            />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>{t.key.much}</legend>
        <div class="columns">
          <Field label={t.key.daily} {...field('daily', 'daily_budget_micro')} {...money} />
          <Field label={t.key.monthly} {...field('monthly', 'monthly_budget_micro')} {...money} />
        </div>
      </fieldset>
      <fieldset>
        <legend>{t.key.until}</legend>
        <Field label={t.key.expires} type="date" {...field('expires', 'expires_at')} hint={t.key.expiresHint} />
      </fieldset>
    </>
  );
}

function toggled(all: string[], one: string, isOn: boolean): string[] {
  return isOn ? [...all, one] : all.filter((other) => other !== one);
}

interface ModelPickerProps { orgId: string; chosen: string[]; onChosen(models: string[]): void; error: string | undefined }

/** Chooses models out of the catalogue; none chosen means all. */
function ModelPicker({ orgId, chosen, onChosen, error }: ModelPickerProps) {
  const [search, setSearch] = useState('');
  const models = useLoad<Listing<Model>>(`/orgs/${orgId}/models`).data?.data ?? [];
  const found = models.filter(({ id }) => id.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div class="picker">
      <Field label={t.key.models} type="search" value={search} onValue={setSearch} hint={chosen.length === 0 ? t.key.allModels : undefined} error={error} />
      <div class="chips">
        {chosen.map((id) => (
          <span key={id} class="chip">
            {id}
            <button type="button" aria-label={t.chips.remove(id)} onClick={() => onChosen(toggled(chosen, id, false))}>×</button>
          </span>
        ))}
      </div>
      <div class="list" role="group" aria-label={t.key.models} tabIndex={0}>
        {found.slice(0, MODELS_SHOWN_MAX).map(({ id }) => (
          <Check key={id} label={<code>{id}</code>} isOn={chosen.includes(id)} onChange={(isOn) => onChosen(toggled(chosen, id, isOn))} />
        ))}
        {found.length === 0 && <p class="quiet">{t.key.noModel}</p>}
        {found.length > MODELS_SHOWN_MAX && <p class="quiet">{t.key.moreModels(found.length - MODELS_SHOWN_MAX)}</p>}
      </div>
    </div>
  );
}
