import { OpenAPIHono } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { by, cortexGround } from '../../../test/fixtures/cortex-deps.ts';
import { createCortex } from '../app.ts';
import type { CortexEnv } from '../cortex-env.ts';
import { pageRoutes } from './page.ts';

async function files(): Promise<{ html: string; script: string }> {
  const app = new OpenAPIHono<CortexEnv>();
  pageRoutes(app);
  const text = async (path: string) => (await app.request(path)).text();
  return { html: await text('/'), script: await text('/page/page.js') };
}

describe('the page', () => {
  it('is there for everybody who asks by the right name, under a policy that lets nothing foreign run', async () => {
    await using ground = await cortexGround();
    const { app } = createCortex(ground.needs, [pageRoutes]);
    for (const path of ['/', '/page/page.js', '/page/page-parts.js', '/page/page.css']) {
      const answer = await app.request(path, { headers: by(undefined) });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    const foreign = await app.request('/', { headers: { host: 'evil.example' } });
    expect(foreign.status).toBe(421);
  });

  it('has no script, style or handler inside, and refers to nothing that is not served', async () => {
    const { html, script } = await files();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|javascript:/i);
    const app = new OpenAPIHono<CortexEnv>();
    pageRoutes(app);
    const referred = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g), ...script.matchAll(/from '\.(\/[^']*)'/g)];
    expect(referred.length).toBeGreaterThan(2);
    for (const [, path = ''] of referred) {
      const served = path.startsWith('/page/') ? path : `/page${path}`;
      expect([served, (await app.request(served)).status]).toEqual([served, 200]);
    }
  });

  it('never makes markup of a text, keeps no cookie, and names only elements that are there', async () => {
    const { html, script } = await files();
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|document\.cookie|localStorage|\beval\b/,
    );
    const named = [...script.matchAll(/element\('([\w-]+)'\)/g)].map(([, id]) => id);
    expect(named.length).toBeGreaterThan(10);
    for (const id of named) expect(html).toContain(`id="${id}"`);
  });

  it('can be used by keyboard and read aloud: a language, a title, headings in order, live regions, real buttons', async () => {
    const { html } = await files();
    expect(html).toMatch(/<html lang="en">/);
    expect(html).toMatch(/<title>Longshore<\/title>/);
    expect([...html.matchAll(/<h(\d)/g)].map(([, level]) => level)).toEqual(['1', '2', '2', '2', '2', '2', '2']);
    expect(html).toMatch(/role="status"/);
    expect(html).toMatch(/role="alert"/);
    for (const [, heading] of html.matchAll(/aria-labelledby="([^"]+)"/g)) expect(html).toContain(`id="${heading}"`);
    expect(html).not.toMatch(/<(div|span)[^>]*(onclick|role="button")/);
  });
});
