import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { wholeScope } from '../../src/core/caller-scope.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Caller } from '../../src/core/words.ts';
import { type Host, type HostOptions, openHost } from '../../src/host/open-host.ts';
import type { ServerNotice } from '../../src/host/server-notices.ts';
import { answeringClient } from '../fixtures/answering-client.ts';
import { fixtureServer } from '../fixtures/wired-server.ts';

const stay = new AbortController().signal;
let home: string | undefined;
afterEach(async () => {
  if (home !== undefined) await rm(home, { recursive: true, force: true });
  home = undefined;
});

async function openHome(options: HostOptions = {}): Promise<Host> {
  home ??= await mkdtemp(join(tmpdir(), 'longshore-relay-'));
  return await openHost({ home, handleSignals: false, otherwise: 'allow', relaysInput: true, ...options });
}

const config = { name: 'relaying', command: process.execPath, args: [fixtureServer('relaying')] };
const load = (host: Host) => host.agent().load(config, { save: true });

/** A client's side of a host, and one call of its agent. */
function sideOf(host: Host) {
  const { clients, notices, defaultAgent } = host.service();
  const [server] = clients.servers(defaultAgent).map(one => one.server);
  if (server === undefined) throw new Error('it is loaded');
  const caller: Caller = 'client:test';
  const call = (handle: string, args: JsonObject = {}, more: object = {}) =>
    clients.dispatch({ agentId: defaultAgent, caller, handle, arguments: args, ...more }, stay);
  return { clients, notices, agent: defaultAgent, server, call };
}

describe('a home that relays', () => {
  it('declares to a 2025 server that it can ask for everything, whoever will call', async () => {
    await using host = await openHome();
    await load(host);
    const { call } = sideOf(host);
    const someone = answeringClient(() => ({ action: 'accept', content: { name: 'Ada' } }));
    expect((await call('relaying__form', {}, { client: someone })).result).toMatchObject({
      answer: { action: 'accept', content: { name: 'Ada' } },
    });
    expect((await call('relaying__url')).result).toMatchObject({ answer: { action: 'decline' } });
  });

  it('declares nothing where it is a library that nobody stands behind', async () => {
    await using host = await openHome({ relaysInput: false });
    await load(host);
    const { result } = await host.agent().call('relaying__form');
    expect(result).toMatchObject({ error: { code: -32_601 } });
  });

  it('puts the questions of a library to whom it names for its servers, or with the call', async () => {
    const own = answeringClient(() => ({ action: 'accept', content: { of: 'host' } }));
    const ofCall = answeringClient(() => ({ action: 'accept', content: { of: 'call' } }));
    const clientFor = vi.fn<NonNullable<HostOptions['clientFor']>>(() => own);
    await using host = await openHome({ relaysInput: false, clientFor });
    const { server } = await load(host);
    expect(clientFor).toHaveBeenCalledWith(host.agent().agentId, server);
    const first = await host.agent().call('relaying__form');
    expect(first.result).toMatchObject({ answer: { content: { of: 'host' } } });
    const second = await host.agent().call('relaying__form', {}, { client: ofCall });
    expect(second.result).toMatchObject({ answer: { content: { of: 'call' } } });
  });

  it('tells what servers say, whose they are, and whether a call was told already', async () => {
    await using host = await openHome();
    await load(host);
    const { call, notices, agent, server } = sideOf(host);
    const heard: ServerNotice[] = [];
    const stop = notices.on(notice => heard.push(notice));
    const someone = answeringClient(() => ({}));
    await call('relaying__log', {}, { client: someone });
    await call('relaying__log');
    const method = 'notifications/message';
    expect(heard).toMatchObject([
      { agentId: agent, server, method, params: { data: { told: 1 }, own: [1] }, toCall: true },
      { agentId: agent, server, method, params: { data: { told: 2 } }, toCall: false },
    ]);
    expect(someone.logged).toHaveLength(1);
    stop();
    await call('relaying__log');
    expect(heard).toHaveLength(2);
  });

  it('completes through dispatch and reads by way of templates', async () => {
    await using host = await openHome();
    await load(host);
    const { call, clients, agent } = sideOf(host);
    const templates = clients.handles(agent).filter(({ kind }) => kind === 'template');
    expect(templates.map(({ wireName }) => wireName)).toEqual(['note://{name}', 'day:{/year,month}', '{+uri}']);
    const read = (index: number, uri: string) =>
      call(templates[index]?.handleName ?? '', { uri }, { kind: 'template' });
    expect((await read(0, 'note://today')).result).toEqual({
      contents: [{ uri: 'note://today', text: 'read note://today', own: 1 }],
    });
    expect((await read(2, 'linked:x')).result).toMatchObject({ contents: [{ uri: 'linked:x' }] });
    await expect(read(0, 'elsewhere:x')).rejects.toMatchObject({ code: 'bad-arguments' });
    const completes = { argument: { name: 'name', value: 'to' } };
    const typed = await call(templates[0]?.handleName ?? '', {}, { kind: 'template', completes });
    expect(typed.result).toMatchObject({ completion: { values: ['"to"!'], own: { ref: { uri: 'note://{name}' } } } });
  });

  it('R68: knows after a restart what a sleeping server said of itself, without starting it', async () => {
    const first = await openHome();
    await load(first);
    await first.dispose();
    await using again = await openHome();
    const { clients, agent } = sideOf(again);
    expect(clients.servers(agent)).toMatchObject([{ instructions: 'Ask before you relay.', missing: undefined }]);
    expect(clients.handles(agent).some(({ kind }) => kind === 'template')).toBe(true);
    expect(await again.agent().list()).toMatchObject([{ state: 'stopped' }]);
  });

  it('wakes a server for a subscription, keeps it awake, and subscribes again when it is started anew', async () => {
    const first = await openHome();
    await load(first);
    await first.dispose();
    await using host = await openHome({ env: { ...process.env, LONGSHORE_IDLE_TIMEOUT: '0.2' } });
    const { clients, notices, call, agent, server } = sideOf(host);
    const uris: unknown[] = [];
    notices.on(({ method, params }) => void (method === 'notifications/resources/updated' && uris.push(params['uri'])));
    const handle = clients
      .handles(agent)
      .find(({ kind, wireName }) => kind === 'template' && wireName === 'note://{name}');
    if (handle === undefined) throw new Error('the template is not there');
    const wanted = { agentId: agent, caller: 'client:x', scope: () => wholeScope, handle, uri: 'note://a' } as const;
    const one = await clients.subscribe(wanted, stay, () => {});
    const other = await clients.subscribe(wanted, stay, () => {});
    const state = async () => (await host.agent().list())[0]?.state;
    const touch = () => call('relaying__touch', { uri: 'note://a' });
    await setTimeout(1_000);
    expect(await state()).toBe('connected');
    await touch();
    await vi.waitFor(() => expect(uris).toHaveLength(1));
    await one[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    expect((await call('relaying__subscribed')).result).toMatchObject({ answer: ['note://a'] });
    await host.agent().reload(server);
    await vi.waitFor(async () => {
      expect((await call('relaying__subscribed')).result).toMatchObject({ answer: ['note://a'] });
    });
    await touch();
    await vi.waitFor(() => expect(uris).toHaveLength(2));
    await other[Symbol.asyncDispose]();
    await vi.waitFor(async () => expect(await state()).toBe('stopped'), 10_000);
  });

  it('sets the level of logs again when a server is started anew', async () => {
    await using host = await openHome();
    await load(host);
    const { clients, call, agent, server } = sideOf(host);
    clients.setLogLevel(agent, 'error');
    const level = async () => (await call('relaying__level')).result['answer'];
    await vi.waitFor(async () => expect(await level()).toBe('error'));
    await host.agent().reload(server);
    await vi.waitFor(async () => expect(await level()).toBe('error'));
  });
});
