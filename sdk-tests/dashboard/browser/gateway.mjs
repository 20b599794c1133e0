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

/**
 * Starts the gateway with an empty store; `url` is that of the dashboard, `link` the one of the set-up, `key` the first
 * one. `change` makes another configuration of the usual one.
 */
export async function startGateway(name, change = (yaml) => yaml) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-dashboard-'));
  const node = await startNode(folder, name, change(configuration()), /http:\/\/\S+\/setup#\S+/);
  const stop = async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: new URL(node.found).origin, api: node.api, key: node.key, link: node.found, stop, name, folder,
    letterTo: (address) => until(() => letter(join(folder, 'data/mail'), address)),
  };
}

/** Starts another node on the store of a running gateway. */
export function startBeside(gateway, name) {
  const postgres = join(gateway.folder, 'data/postgres');
  const port = readFileSync(join(postgres, 'cluster/postmaster.pid'), 'utf8').split('\n')[3].trim();
  const password = readFileSync(join(postgres, 'password'), 'utf8').trim();
  const store = `url: jdbc:postgresql://127.0.0.1:${port}/postgres\n  username: tollgate\n  password: ${password}`;
  const config = configuration().replace('url: embedded ', `${store} `).replace('data_dir: ./data ', `data_dir: ./${name} `);
  return startNode(gateway.folder, `${gateway.name}-${name}`, config, /Tollgate serves \S+/);
}

/** Starts one process; `found` is what it printed when it was ready. */
async function startNode(folder, name, config, ready) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, config);
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
  };
  try {
    const found = await until(() => {
      if (child.exitCode !== null) {
        throw new Error(`the gateway ended: ${readFileSync(join(OUT, `${name}.log`), 'utf8')}`);
      }
      return ready.exec(printed)?.[0];
    }, START_MILLIS);
    return { found, api: /Tollgate serves (\S+)/.exec(printed)[1], key: /sk-llm-\w+/.exec(printed)?.[0], stop };
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

/** Requests at a rate, to one node after the other; each node has when it last began to serve one, and how it refused. */
export function startLoad(gateways, key, perSecond) {
  const nodes = gateways.map((gateway) => ({ gateway, served: 0, lastServed: 0, lastRefused: 0, refusals: new Set() }));
  nodes.forEach((node) => (node.refusedAfter = (at) => node.lastRefused > at));
  const running = new Set();
  let next = 0;
  const one = async (node) => {
    const at = performance.now();
    const answer = await ask(node.gateway, key);
    if (answer.status === 200) {
      node.served++;
      node.lastServed = Math.max(node.lastServed, at);
    } else {
      node.refusals.add(`${answer.status} ${answer.code}`);
      node.lastRefused = at;
    }
  };
  const timer = setInterval(() => {
    const request = one(nodes[next++ % nodes.length]);
    running.add(request);
    request.finally(() => running.delete(request));
  }, 1000 / perSecond);
  const stop = async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
  return { nodes, stop };
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
