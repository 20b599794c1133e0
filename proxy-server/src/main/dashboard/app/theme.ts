export type Theme = 'system' | 'light' | 'dark';

const KEY = 'tollgate.theme';

export function theme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function setTheme(to: Theme): void {
  localStorage.setItem(KEY, to);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}
