import { Store } from './store';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'tollgate.theme';
const stored = localStorage.getItem(KEY);

export const theme = new Store<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

export function setTheme(to: Theme): void {
  localStorage.setItem(KEY, to);
  theme.set(to);
  document.documentElement.dataset.theme = to;
}
