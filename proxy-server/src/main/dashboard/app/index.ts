// What pages ask the shell and the server for.
export * from './api';
export * from './errors';
export * from './load';
export * from './org-view';
export * from './router';
export * from './session';
export * from './theme';
export * from './types';
