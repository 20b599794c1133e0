import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/en';
import { Button } from './parts';

/** A panel beside a list, which stays usable; Esc closes it and the focus returns to the row. */
export function Drawer({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    heading.current?.focus();
    return () => opener?.isConnected && opener.focus();
  }, []);
  return (
    <aside
      class="drawer"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) {
          event.preventDefault();
          onClose();
        }
      }}
    >
      <header><h2 ref={heading} tabIndex={-1}>{title}</h2><Button onClick={onClose}>{t.dialogs.close}</Button></header>
      {children}
    </aside>
  );
}
