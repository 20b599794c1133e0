// Looks a page over: what axe finds, and whether it fits its window.
import { readFileSync } from 'node:fs';

const AXE = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** Both themes on a telephone and on a desk. */
export const LOOKS = ['light', 'dark'].flatMap((colorScheme) => [320, 1440].map((width) => ({ colorScheme, width })));

export const looking = ({ colorScheme, width }) => ({ colorScheme, viewport: { width, height: 900 } });

/** Opens an address and waits until everything on it was loaded. */
export async function visit(page, url) {
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
}

/** Opens each of `pages`, named by their first part; what is wrong with them, by name. */
export async function inspect(page, pages, open) {
  const found = {};
  for (const one of pages) {
    await open(one);
    const violations = await serious(page);
    if (violations.length > 0) {
      found[one[0]] = violations;
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (overflow > 0) {
      found[`${one[0]} overflows`] = overflow;
    }
  }
  return found;
}

async function serious(page) {
  const session = await page.context().newCDPSession(page);
  // By the debugger: the policy of the page refuses scripts of others, as it should.
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then((r) => JSON.stringify(r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
      .map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return JSON.parse(result.value);
}
