import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/en';
import { Button } from './parts';
import { stepOf } from './table';

/** Hook: takes the focus, and gives it back to where it was. */
export function useFocus(take: () => void): void {
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    take();
    return () => opener?.isConnected && opener.focus();
  }, []);
}

interface DrawerProps { title: string; onClose(): void; onStep(step: number): void; children: ComponentChildren }

/** A panel beside a list, which stays usable; arrows walk the list, Esc closes it and the focus returns to the row. */
export function Drawer({ title, onClose, onStep, children }: DrawerProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useFocus(() => heading.current?.focus());
  return (
    <aside
      class="drawer"
      aria-label={title}
      onKeyDown={(event) => {
        const step = stepOf(event);
        if (!event.defaultPrevented && (step !== 0 || event.key === 'Escape')) {
          event.preventDefault();
          step === 0 ? onClose() : onStep(step);
        }
      }}
    >
      <header><h2 ref={heading} tabIndex={-1}>{title}</h2><Button onClick={onClose}>{t.dialogs.close}</Button></header>
      {children}
    </aside>
  );
}
