import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../app/errors';
import { t } from '../i18n/en';
import { Field, Form } from './field';
import { Button } from './parts';

/** A modal dialog; `onClose` is asked by Esc too and may refuse by doing nothing. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => (opener as HTMLElement | null)?.focus?.();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        // A second Esc closes a dialog in spite of a refused cancel.
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: ComponentChildren;
  verb: string;
  /** What has to be typed before the button works. */
  typed?: string | undefined;
  isBusy: boolean;
  error?: ApiError | undefined;
  onConfirm(): void;
  onClose(): void;
  isDangerous?: boolean;
  children?: ComponentChildren;
}

export function Confirm({ title, text, verb, typed, isBusy, error, onConfirm, onClose, isDangerous = true, children }: ConfirmProps) {
  const [name, setName] = useState('');
  const isReady = typed === undefined || name === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSend={() => isReady && onConfirm()} error={error}>
        <div>{text}</div>
        {children}
        {typed !== undefined && (
          <Field label={t.dialogs.typeName(typed)} value={name} onValue={setName} input={{ autocomplete: 'off' }} />
        )}
        <div class="buttons">
          <Button onClick={onClose}>{t.dialogs.cancel}</Button>
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} disabled={!isReady}>{verb}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
