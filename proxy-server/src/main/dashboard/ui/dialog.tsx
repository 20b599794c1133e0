import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { Action } from '../app/load';
import { t } from '../i18n/en';
import { useFocus } from './drawer';
import { Field, Form } from './field';

/** A modal dialog; `onClose` is asked by Esc too and may refuse by doing nothing. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useFocus(() => dialog.current?.showModal());
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

export interface ConfirmProps {
  title: string;
  text: string;
  verb: string;
  /** What has to be typed before the button works. */
  typed?: string | undefined;
  of: Action;
  onClose(): void;
  children?: ComponentChildren;
}

export function Confirm({ title, text, verb, typed, of, onClose, children }: ConfirmProps) {
  const [name, setName] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <Form of={of} verb={verb} kind="danger" disabled={typed !== undefined && name !== typed} onCancel={onClose}>
        <p>{text}</p>
        {children}
        {typed !== undefined && (
          <Field label={t.dialogs.typeName(typed)} value={name} onValue={setName} input={{ autocomplete: 'off' }} />
        )}
      </Form>
    </Dialog>
  );
}
