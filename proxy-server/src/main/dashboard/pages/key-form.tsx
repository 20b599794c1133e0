import { useState } from 'preact/hooks';
import { type ApiError, type LimitsView, type Listing, type Model, useLoad } from '../app';
import { t } from '../i18n/en';
import { Check, Field } from '../ui';
import { LIMITS, MODALITIES, type KeyDraft } from './key-draft';

const MODELS_SHOWN_MAX = 100;

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
  return (
    <>
      <Field label={t.key.name} value={draft.name} onValue={(name) => set({ name })} isRequired error={wrong('name')} />
      <Field label={t.key.note} value={draft.note} onValue={(note) => set({ note })} error={wrong('note')} />
      <fieldset>
        <legend>{t.key.what}</legend>
        <ModelPicker orgId={orgId} chosen={draft.models} onChosen={(models) => set({ models })} error={wrong('allowed_models')} />
        <p>{t.key.modalities}</p>
        <div class="chips">
          {MODALITIES.map((one) => (
            <Check
              key={one}
              label={one}
              isOn={draft.modalities.includes(one)}
              onChange={(isOn) => set({ modalities: isOn ? [...draft.modalities, one] : draft.modalities.filter((m) => m !== one) })}
            />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>{t.key.where}</legend>
        <Field
          label={t.key.ips}
          value={draft.ips}
          onValue={(ips) => set({ ips })}
          isArea
          hint={t.key.ipsHint}
          error={wrong('allowed_ips')}
        />
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
          <Field
            label={t.key.daily}
            value={draft.daily}
            onValue={(daily) => set({ daily })}
            suffix="USD"
            hint={t.key.budgetHint}
            error={wrong('daily_budget_micro')}
            input={{ inputMode: 'decimal' }}
          />
          <Field
            label={t.key.monthly}
            value={draft.monthly}
            onValue={(monthly) => set({ monthly })}
            suffix="USD"
            hint={t.key.budgetHint}
            error={wrong('monthly_budget_micro')}
            input={{ inputMode: 'decimal' }}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>{t.key.until}</legend>
        <Field
          label={t.key.expires}
          type="date"
          value={draft.expires}
          onValue={(expires) => set({ expires })}
          hint={t.key.expiresHint}
          error={wrong('expires_at')}
        />
      </fieldset>
    </>
  );
}

interface ModelPickerProps { orgId: string; chosen: string[]; onChosen(models: string[]): void; error: string | undefined }

/** Chooses models out of the catalogue; none chosen means all. */
function ModelPicker({ orgId, chosen, onChosen, error }: ModelPickerProps) {
  const [search, setSearch] = useState('');
  const models = useLoad<Listing<Model>>(`/orgs/${orgId}/models`).data?.data ?? [];
  const found = models.filter(({ id }) => id.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div class="picker">
      <Field
        label={t.key.models}
        type="search"
        value={search}
        onValue={setSearch}
        hint={chosen.length === 0 ? t.key.allModels : undefined}
        error={error}
      />
      <div class="chips">
        {chosen.map((id) => (
          <span key={id} class="chip">
            {id}
            <button type="button" aria-label={t.chips.remove(id)} onClick={() => onChosen(chosen.filter((one) => one !== id))}>×</button>
          </span>
        ))}
      </div>
      <div class="list" role="group" aria-label={t.key.models} tabIndex={0}>
        {found.slice(0, MODELS_SHOWN_MAX).map(({ id }) => (
          <Check
            key={id}
            label={<code>{id}</code>}
            isOn={chosen.includes(id)}
            onChange={(isOn) => onChosen(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
        {found.length === 0 && <p class="quiet">{t.key.noModel}</p>}
        {found.length > MODELS_SHOWN_MAX && <p class="quiet">{t.key.moreModels(found.length - MODELS_SHOWN_MAX)}</p>}
      </div>
    </div>
  );
}
