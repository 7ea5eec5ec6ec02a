import { describe, expect, it } from 'vitest';
import type { ApprovalView, CatalogEntryView, ServerView, StatusAnswer } from '../../client/api-types.ts';

interface Choice {
  readonly label: string;
  readonly method?: string;
  readonly path?: string;
  readonly body: object;
}

interface Card {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly args?: string;
  readonly choices: readonly Choice[];
  readonly commands: readonly string[];
}

/** The script as browsers load it: plain JavaScript, with no types of its own. */
const parts = (await import(new URL('./page-parts.js', import.meta.url).href)) as {
  signInToken(hash: string): string | undefined;
  readEvents(text: string): { events: readonly { id: string; type: string; data: string }[]; rest: string };
  visible(text: string): string;
  approvalCard(approval: ApprovalView, agent: string | undefined, now: number): Card;
  serverCard(server: ServerView, agent: string | undefined): Card;
  catalogCard(entry: CatalogEntryView): Card;
  gatewayCard(gateway: StatusAnswer['gateway']): Card | undefined;
};

const approval: ApprovalView = {
  id: 'a1',
  agentId: 'did:key:z',
  caller: 'client:claude',
  server: 'files',
  handleName: 'files__write',
  kind: 'tool',
  tool: 'write',
  args: '{"path":"/tmp/x"}',
  unseen: { folded: 0, cut: 0 },
  because: 'No rule speaks about this call.',
  misfits: [],
  meta: null,
  changed: [],
  scopes: ['once', 'session', 'always'],
  state: 'pending',
  scope: null,
  reason: null,
  decidedBy: null,
  createdAt: 0,
  expiresAt: 3_600_000,
};

const server: ServerView = {
  serverId: 'id',
  server: 'notes',
  name: 'notes',
  kind: 'process',
  config: {},
  image: null,
  enabled: true,
  state: 'crash-loop',
  sentence: 'It ended too often.',
  action: { label: 'Restart', command: 'longshore restart notes' },
  needsAttention: true,
  lastError: null,
  transport: 'stdio',
  protocol_version: '2026-07-28',
  protocol_reason: null,
  holdings: [],
  tools: [],
  tokenCost: 0,
  diagnostics: [],
};

describe('the parts of the page', () => {
  it('find the sign-in token in the fragment, and nothing else there', () => {
    expect(parts.signInToken('#sign-in=lsl_a-b_c')).toBe('lsl_a-b_c');
    for (const hash of ['', '#', '#sign-in=', '#other=lsl_a', '#sign-in=a&b=c', '#sign-in=<script>']) {
      expect(parts.signInToken(hash)).toBeUndefined();
    }
  });

  it('read events however the stream is cut, and skip heartbeats', () => {
    const stream =
      'retry: 2000\n\nid: r.1\nevent: hello\ndata: {"version":"1"}\n\n:\n\nid: r.2\nevent: tools.changed\ndata: {}\n\n';
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const first = parts.readEvents(stream.slice(0, cut));
      const second = parts.readEvents(first.rest + stream.slice(cut));
      const events = [...first.events, ...second.events];
      expect(events.map(({ id, type }) => `${id} ${type}`)).toEqual(['r.1 hello', 'r.2 tools.changed']);
      expect(second.rest).toBe('');
    }
  });

  it('offer what an approval may reach, with the commands that do the same', () => {
    const card = parts.approvalCard(approval, undefined, 0);
    expect(card.title).toBe('files.write');
    expect(card.lines.join(' ')).toContain('client:claude wants to call it.');
    expect(card.lines.join(' ')).toContain('60 minutes');
    expect(card.args).toContain('"path": "/tmp/x"');
    expect(card.choices).toEqual([
      { label: 'Approve once', body: { approve: true, scope: 'once' } },
      { label: 'Approve for this session', body: { approve: true, scope: 'session' } },
      { label: 'Always allow', body: { approve: true, scope: 'always' } },
      { label: 'Reject', body: { approve: false } },
    ]);
    expect(card.commands).toEqual(['longshore approve a1', 'longshore reject a1']);
    const once = parts.approvalCard({ ...approval, scopes: ['once'] }, undefined, 0);
    expect(once.choices.map(({ label }) => label)).toEqual(['Approve once', 'Reject']);
  });

  it('say what changed, whose it is, and that nobody waits any more', () => {
    const card = parts.approvalCard(
      { ...approval, state: 'awaiter-gone', changed: [{ path: 'description', before: 'reads', after: 'writes' }] },
      'work',
      0,
    );
    expect(card.lines.join('\n')).toContain('Changed since it was allowed: description: "reads" → "writes"');
    expect(card.lines.join('\n')).toContain('for the agent work; it will run when it is asked for again');
  });

  it('show what others have written as it is, never as something else', () => {
    const odd = '\u202Egnp.exe\u200B\u0007\uD800';
    expect(parts.visible(odd)).toBe('\\u{202e}gnp.exe\\u{200b}\\u{7}\\u{d800}');
    const card = parts.approvalCard({ ...approval, tool: odd, args: `{"x":"${'\u202E'}"}`, because: odd }, odd, 0);
    expect(JSON.stringify(card)).not.toMatch(/[\u202E\u200B]/);
    // Cut arguments are no JSON, and are shown as they are.
    expect(parts.approvalCard({ ...approval, args: '{"a":"bc…' }, undefined, 0).args).toBe('{"a":"bc…');
  });

  it('give a server its one action, as a button where the page can do it', () => {
    expect(parts.serverCard(server, undefined)).toMatchObject({
      key: 'id',
      title: 'notes',
      lines: ['It ended too often.', '0 tools, protocol 2026-07-28'],
      choices: [{ label: 'Restart', method: 'POST', path: '/api/mcp/restart', body: { ref: 'notes' } }],
      commands: ['longshore restart notes'],
    });
    const enable = { label: 'Enable', command: 'longshore enable notes' };
    expect(parts.serverCard({ ...server, action: enable }, 'work')).toMatchObject({
      title: 'notes (work)',
      choices: [{ label: 'Enable', method: 'PATCH', path: '/api/mcp-servers/notes', body: { enabled: true } }],
    });
    const login = { label: 'Set secret', command: 'longshore secret set notes' };
    expect(parts.serverCard({ ...server, action: login }, undefined)).toMatchObject({
      choices: [],
      commands: ['longshore secret set notes'],
    });
    expect(parts.serverCard({ ...server, action: { label: 'Start Docker' } }, undefined).commands).toEqual([]);
  });
});

describe('the card of a catalog entry', () => {
  const entry: CatalogEntryView = {
    name: 'weather',
    source: 'docker',
    title: 'Weather\u202e',
    description: 'Forecasts.',
    category: null,
    tags: [],
    tools: ['forecast'],
    kind: 'image',
    image: 'acme/weather',
    load: '!mcp-load weather',
    needs: [],
    isolation: 'A container of its own.',
  };

  it('R35: has one button that loads it where it needs nothing first', () => {
    const card = parts.catalogCard(entry);
    expect(card.title).toBe('Weather\\u{202e}');
    expect(card.choices).toEqual([{ label: 'Load', method: 'POST', path: '/api/mcp/load', body: { ref: 'weather' } }]);
    expect(card.lines.join(' ')).toContain('Tools: forecast');
  });

  it('shows the commands where something is needed first, and neither for what cannot be loaded', () => {
    const needs = ['longshore secret set weather.key', '--set weather.region=VALUE'];
    const card = parts.catalogCard({ ...entry, needs });
    expect(card.choices).toEqual([]);
    expect(card.commands).toEqual([
      'longshore secret set weather.key',
      'longshore load weather --set weather.region=VALUE',
    ]);
    const none = parts.catalogCard({ ...entry, load: null });
    expect([none.choices, none.commands]).toEqual([[], []]);
  });
});

describe('the card of the gateway', () => {
  it('R76: says what was requested apart from what was observed', () => {
    expect(parts.gatewayCard(null)).toBeUndefined();
    const missing = [{ name: 'time', why: 'EOF' }];
    const card = parts.gatewayCard({
      requested_servers: ['fetch', 'time'],
      observed_tools: ['fetch'],
      not_in_effect: missing,
    });
    expect(card?.lines).toEqual(['Requested: fetch, time.', 'Observed tools: fetch.', 'Not in effect: time: EOF']);
    expect(card?.choices).toMatchObject([{ path: '/api/mcp/gateway/stop' }]);
  });
});
