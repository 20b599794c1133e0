// How a person uses a page: by mouse, or by keyboard alone.
import { openPage } from './chromium.mjs';

const TABS_MAX = 250;

const mouse = () => ({
  press: (target) => target.click(),
  focus: (target) => target.click(),
  choose: (target, label) => target.selectOption({ label }),
});

function keyboard(page) {
  /** Walks by Tab, so that what cannot be reached that way fails. */
  async function focus(target) {
    await target.waitFor();
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (await target.evaluate((element) => element === document.activeElement)) {
        return;
      }
      await page.keyboard.press('Tab');
    }
    throw new Error(`not reached by ${TABS_MAX} tabs: ${target}`);
  }
  return {
    focus,
    press: async (target) => {
      await focus(target);
      await page.keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
    },
    choose: async (target, label) => {
      await focus(target);
      await page.keyboard.type(label);
    },
  };
}

export const HANDS = { mouse, keyboard };

/** A new browser profile with a page that is used by these hands; what is wrong gathers in `problems`. */
export async function openBy(browser, kind, problems) {
  const opened = await openPage(browser, { viewport: { width: 1280, height: 900 } }, problems);
  if (kind === 'keyboard') {
    await opened.context.addInitScript(() => addEventListener('pointerdown', () => console.error('the pointer was used'), true));
  }
  return { ...opened, ...withHands(opened.page, kind) };
}

/** Another tab of a profile. */
export async function anotherTab(opened, kind) {
  const page = await opened.context.newPage();
  return { ...opened, page, ...withHands(page, kind) };
}

function withHands(page, kind) {
  const hands = HANDS[kind](page);
  const named = (role, name, within = page) => within.getByRole(role, { name, exact: true });
  return {
    ...hands,
    button: (name, within) => hands.press(named('button', name, within)),
    link: (name, within) => hands.press(named('link', name, within)),
    type: async (label, text, within = page) => {
      const field = within.getByLabel(label, { exact: true });
      await hands.focus(field);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
    heading: (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
  };
}
