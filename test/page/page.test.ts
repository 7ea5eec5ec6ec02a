import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Foreground, type LongshoreHome, longshoreHome } from '../e2e/longshore-home.ts';
import { fixture } from '../e2e/run-longshore.ts';
import { realChromium } from './chromium.ts';

const found = await realChromium();
const patience = 90_000;

describe.runIf(found.available)('the page in a real browser', () => {
  let browser: Browser;
  let home: LongshoreHome;
  let service: Foreground;
  const running = new AsyncDisposableStack();

  beforeAll(async () => {
    if (!found.available) return;
    // Its own sandbox does not work for root, as in a container; it opens nothing but our page.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: found.path, args });
    running.defer(() => browser.close());
    home = running.use(longshoreHome());
    service = await home.serve();
    const { code, stderr } = await home.run('add', 'notes', '--', process.execPath, fixture('two-tools'));
    if (code !== 0) throw new Error(stderr);
  }, patience);
  afterAll(() => running.disposeAsync(), patience);

  /** A link that signs in once. */
  async function signInLink(): Promise<string> {
    const { signIn } = (await home.json('status')) as { readonly signIn: string };
    return signIn;
  }

  /** A page of a browser that never was here, and everything that goes wrong on it. */
  async function open(link: string): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', error => faults.push(error.message));
    await page.goto(link);
    return { context, page, faults };
  }

  it('signs in by the link once, and shows servers, what waits, and how to connect a client', {
    timeout: patience,
  }, async () => {
    const held = await home.run('call', 'notes.echo', 'text=hello');
    expect(held.code, held.stderr).toBe(7);
    const { context, page, faults } = await open(service.signIn);
    await page.getByRole('heading', { name: 'notes', exact: false }).first().waitFor();
    expect(await page.locator('#servers li').innerText()).toMatch(/notes connected[\s\S]*2 tools, protocol 20/);
    const waiting = page.locator('#approvals li');
    await waiting.waitFor();
    const text = await waiting.innerText();
    expect(text).toContain('notes.echo');
    expect(text).toContain('"text": "hello"');
    expect(text).toMatch(/longshore approve [0-9a-f]{32}/);
    expect(text).toMatch(/longshore reject [0-9a-f]{32}/);
    expect(await page.getByRole('region', { name: 'Connect a client' }).innerText()).toContain(
      'longshore mcp --caller',
    );
    expect(await page.locator('#sign-in').isVisible()).toBe(false);

    // The token is in this tab alone: in no cookie, no other storage, and out of the address.
    expect(await context.cookies()).toEqual([]);
    expect(page.url()).toBe(`${service.url}/`);
    const kept = await page.evaluate('({ session: Object.keys(sessionStorage), local: Object.keys(localStorage) })');
    expect(kept).toEqual({ session: ['longshore-session'], local: [] });
    await page.reload();
    await page.locator('#approvals li').waitFor();
    const other = await context.newPage();
    await other.goto(service.url);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByRole('button', { name: 'Approve once' }).click();
    await page.getByText('Nothing waits.').waitFor();
    expect(await home.run('call', 'notes.echo', 'text=hello')).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect(faults).toEqual([]);
    await context.close();
  });

  it('lets nobody in by a link that was used, and says what to do', { timeout: patience }, async () => {
    const link = await signInLink();
    const first = await open(link);
    await first.page.locator('#signed-in').waitFor();
    const second = await open(link);
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await second.page.locator('#sign-in-text').innerText()).toMatch(/link|sign/i);
    expect(await second.page.locator('#signed-in').isVisible()).toBe(false);
    expect(await second.page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    await Promise.all([first.context.close(), second.context.close()]);
  });

  it('shows by itself what changes, and nothing any more once it is signed out', { timeout: patience }, async () => {
    const { context, page, faults } = await open(await signInLink());
    await page.locator('#servers li').first().waitFor();
    await home.run('disable', 'notes');
    await page.locator('#servers').getByText('disabled').waitFor();
    await home.run('enable', 'notes');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.locator('#servers').innerHTML()).toBe('');
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('runs no script but its own, and makes no markup of what a server says', { timeout: patience }, async () => {
    const { context, page, faults } = await open(await signInLink());
    await page.locator('#servers li').first().waitFor();
    const inserted = page.addScriptTag({ content: 'window.foreign = true' }).catch((error: unknown) => String(error));
    await inserted;
    expect(await page.evaluate('window.foreign')).toBeUndefined();
    expect(faults.join('\n')).toMatch(/Content Security Policy|Trusted/i);
    const before = faults.length;
    await home.run('call', 'notes.echo', 'text=<img src=x onerror="window.foreign=true">');
    await page.locator('#approvals li').waitFor();
    expect(await page.locator('#approvals img').count()).toBe(0);
    expect(await page.locator('#approvals pre').innerText()).toContain('<img src=x');
    expect(await page.evaluate('window.foreign')).toBeUndefined();
    expect(faults.slice(before)).toEqual([]);
    await context.close();
  });

  it('R34, R74: finds servers in the catalogs beside one that cannot be read, with what they need first', {
    timeout: patience,
  }, async () => {
    const { context, page, faults } = await open(await signInLink());
    await page.locator('#servers li').first().waitFor();
    await page.getByLabel('Words of a name').fill('notion');
    await page.getByRole('button', { name: 'Search' }).click();
    const found = page.locator('#found li');
    await found.first().waitFor();
    expect(await found.first().innerText()).toContain('longshore secret set notion.NOTION_TOKEN');
    expect(await page.locator('#problem').innerText()).toContain('cannot be read');
    expect(await page.locator('#found-text').innerText()).toMatch(/server(s)? found/);
    expect(await page.locator('#no-gateway').isVisible()).toBe(true);
    // The browser itself tells of the answer that was a problem.
    expect(faults.filter(text => !text.includes('502'))).toEqual([]);
    await context.close();
  });
});
