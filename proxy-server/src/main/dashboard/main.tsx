import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/pages.css';
import { render } from 'preact';
import { App } from './app/app';
import { start } from './app/router';
import { applyTheme } from './app/theme';

applyTheme();
start();
render(<App />, document.getElementById('app')!);
