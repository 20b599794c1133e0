// A headless Chromium of which each test gets an empty profile.
import { mkdirSync, readdirSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];
export const OUT = new URL('../target/', import.meta.url).pathname;

/** Starts the browser; one that was unpacked from packages finds its libraries beside it. */
export async function launch() {
  const executablePath = process.env.TOLLGATE_CHROMIUM;
  const root = executablePath.split('/usr/lib/chromium/')[0];
  const isUnpacked = root !== '' && existsSync(join(root, 'usr/lib/chromium'));
  const env = isUnpacked ? { ...process.env, LD_LIBRARY_PATH: libraries(root).join(':') } : process.env;
  return chromium.launch({ executablePath, env, args: FLAGS });
}

function libraries(root) {
  const folders = new Set();
  for (const name of readdirSync(root, { recursive: true })) {
    if (/\.so(\.\d+)*$/.test(name)) {
      folders.add(join(root, dirname(name)));
    }
  }
  return [...folders];
}

/** Takes a picture into target/. */
export async function picture(page, name) {
  mkdirSync(OUT, { recursive: true });
  await page.screenshot({ path: join(OUT, `${name}.png`), fullPage: true });
}

/** A page that reports what the policy refused and what was thrown, in `problems`. */
export async function openPage(browser, options, problems = []) {
  const context = await browser.newContext(options);
  await context.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => console.error(`policy: ${effectiveDirective} ${blockedURI}`)));
  context.on('page', (page) => watch(page, problems));
  const page = await context.newPage();
  return { page, problems, context };
}

function watch(page, problems) {
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d|50[03])/.test(message.text())) {
      problems.push(`console: ${message.text()}`);
    }
  });
}
