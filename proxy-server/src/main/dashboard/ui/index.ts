// What pages are made of.
export * from './ask';
export * from './dialog';
export * from './drawer';
export * from './field';
export * from './fields';
export * from './list';
export * from './money';
export * from './numbers';
export * from './parts';
export * from './secret';
export * from './snippet';
export * from './snippets';
export * from './table';
export * from './time';
export * from './toast';
export * from './view';
