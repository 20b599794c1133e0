// The real binary on free ports, with a store of its own that is removed at the end.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUT } from './chromium.mjs';

const ROOT = new URL('../../../', import.meta.url).pathname;
const START_MILLIS = 180_000;
const CHECK_MILLIS = 50;

/** The quick start's configuration on free ports; a walk through all pages is faster than a person. */
function configuration() {
  return readFileSync(join(ROOT, 'config/quickstart.yaml'), 'utf8')
    .replace('api: { address: 127.0.0.1:8080 }', 'api: { address: 127.0.0.1:0 }')
    .replace('admin: { address: 127.0.0.1:9901 }', 'admin: { address: 127.0.0.1:0 }\n  control: { address: 127.0.0.1:0 }')
    .concat('\ncontrol_plane: { rate: { per_second: 500, per_minute: 30000 } }\nserver: { shutdown: { delay: 0s } }\n');
}

/** Starts the gateway with an empty store; `url` is that of the dashboard, `link` the one of the set-up. */
export async function startGateway(name) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-dashboard-'));
  const file = join(folder, 'tollgate.yaml');
  writeFileSync(file, configuration());
  const { TOLLGATE_CHROMIUM: _, ...env } = process.env; // the gateway refuses variables of its prefix that it does not know
  const child = spawn(join(ROOT, 'tollgate'), ['serve', '--config', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  mkdirSync(OUT, { recursive: true });
  child.stderr.pipe(createWriteStream(join(OUT, `${name}.log`)));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const link = await until(() => {
      if (child.exitCode !== null) {
        throw new Error(`the gateway ended: ${readFileSync(join(OUT, `${name}.log`), 'utf8')}`);
      }
      return /http:\/\/\S+\/setup#\S+/.exec(printed)?.[0];
    }, START_MILLIS);
    const api = /Tollgate serves (\S+)/.exec(printed)[1];
    return { url: new URL(link).origin, api, link, stop, letterTo: (address) => until(() => letter(join(folder, 'data/mail'), address)) };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

/** The link of the newest letter to an address. */
function letter(folder, address) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  for (const name of names.toSorted().reverse()) {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    if (text.includes(address)) {
      return /https?:\/\/[^\s"<>]+#[\w-]+/.exec(text)?.[0];
    }
  }
  return undefined;
}

/** Waits until `found` gives something; a state that never comes is a failure. */
export async function until(found, withinMillis = 10_000) {
  const end = performance.now() + withinMillis;
  for (;;) {
    const value = await found();
    if (value) {
      return value;
    }
    if (performance.now() > end) {
      throw new Error(`not within ${withinMillis} ms: ${found}`);
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_MILLIS));
  }
}

/** A client's request for a chat completion. */
export async function ask(gateway, key, body = {}) {
  const response = await fetch(`${gateway.api}/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'tollgate/demo-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 16, ...body }),
  });
  const text = await response.text();
  return {
    status: response.status, code: response.ok ? null : JSON.parse(text).error.code, id: response.headers.get('x-request-id'),
    costMicro: Number(response.headers.get('x-llm-cost-micro')),
  };
}

/** A call of the control plane as the page's session, as a script of the page would do it. */
export function callFrom(page, method, path, body) {
  return page.evaluate(async ([verb, to, json]) => {
    const response = await fetch(`/api/v1${to}`, {
      method: verb,
      headers: { 'X-Requested-With': 'tollgate', ...(json ? { 'Content-Type': 'application/json' } : {}) },
      ...(json ? { body: json } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }, [method, path, body ? JSON.stringify(body) : null]);
}
