import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/pages.css';
import { render } from 'preact';
import { App } from './app/app';
import { start } from './app/router';
import { setTheme, theme } from './app/theme';

setTheme(theme.get());
start();
render(<App />, document.getElementById('app')!);
