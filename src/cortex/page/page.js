/** The small page of the service: waiting approvals and servers, live, for the signed-in operator. */
import { approvalCard, catalogCard, gatewayCard, readEvents, serverCard, signInToken } from './page-parts.js';

const storedToken = 'longshore-session';
const element = id => document.getElementById(id);

/** Kept in this tab only, and sent as a header: no cookie, so no other page can use it. */
const session = {
  get: () => sessionStorage.getItem(storedToken) ?? undefined,
  set: token => sessionStorage.setItem(storedToken, token),
  end: () => sessionStorage.removeItem(storedToken),
};

class Refused extends Error {}

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${session.get()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 401) throw new Refused('signed out');
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { data: answer.data });
  return answer;
}

async function signIn() {
  const token = signInToken(location.hash);
  if (token === undefined) return;
  // Out of the address bar and the history, whatever becomes of it.
  history.replaceState(undefined, '', location.pathname);
  const response = await fetch('/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const answer = await response.json();
  if (response.ok) session.set(answer.token);
  else if (session.get() === undefined) element('sign-in-text').textContent = answer.detail;
}

function show(isSignedIn) {
  element('sign-in').hidden = isSignedIn;
  element('signed-in').hidden = !isSignedIn;
  element('sign-out').hidden = !isSignedIn;
  if (!isSignedIn) {
    element('status').textContent = '';
    element('sign-in-heading').focus();
  }
}

/** Ends what listens for changes. */
let following = new AbortController();

function signedOut() {
  session.end();
  following.abort();
  for (const list of ['approvals', 'servers', 'gateway', 'found']) element(list).replaceChildren();
  show(false);
}

function problem(text) {
  element('problem').textContent = text;
}

/** Puts cards in the place of a list's old ones; what stays keeps its element, so that focus and reading place stay. */
function place(list, cards, fallback, heading) {
  const hadFocus = list.contains(document.activeElement);
  const old = new Map([...list.children].map(item => [item.dataset.key, item]));
  const items = cards.map(card => {
    const text = JSON.stringify(card);
    const known = old.get(card.key);
    if (known?.dataset.card === text) return known;
    const item = cardElement(card);
    item.dataset.key = card.key;
    item.dataset.card = text;
    const focused = known?.contains(document.activeElement) ? document.activeElement.textContent : undefined;
    if (focused !== undefined) {
      queueMicrotask(() => [...item.querySelectorAll('button')].find(one => one.textContent === focused)?.focus());
    }
    return item;
  });
  if (items.length !== list.children.length || items.some((item, index) => item !== list.children[index])) {
    list.replaceChildren(...items);
  }
  element(fallback).hidden = cards.length > 0;
  queueMicrotask(() => {
    if (hadFocus && !list.contains(document.activeElement)) element(heading).focus();
  });
}

function made(name, text, attributes = {}) {
  const node = document.createElement(name);
  node.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  return node;
}

function cardElement(card) {
  const item = document.createElement('li');
  if (card.needsAttention) item.className = 'attention';
  const id = `card-${card.key}`;
  const title = made('h3', `${card.title} `, { id });
  if (card.state !== undefined) title.append(made('span', card.state, { class: 'state' }));
  item.append(title, ...card.lines.map(line => made('p', line)));
  if (card.args !== undefined) item.append(made('pre', card.args, { 'aria-label': 'Arguments' }));
  for (const choice of card.choices) {
    const button = made('button', choice.label, { type: 'button', 'aria-describedby': id });
    button.addEventListener('click', () => void act(choice, item));
    item.append(button);
  }
  for (const command of card.commands) {
    const line = made('p', 'On the command line: ');
    line.append(made('code', command));
    item.append(line);
  }
  return item;
}

async function act({ method = 'POST', path, body }, item) {
  for (const button of item.querySelectorAll('button')) button.disabled = true;
  problem('');
  try {
    await ask(method, path, body);
  } catch (error) {
    if (error instanceof Refused) return signedOut();
    problem(error.message);
  } finally {
    for (const button of item.querySelectorAll('button')) button.disabled = false;
    refreshSoon();
  }
}

async function refresh() {
  const agents = await ask('GET', '/api/agents');
  const whose = ({ agentId, name }) => (agents.length > 1 ? (name ?? agentId) : undefined);
  const query = ({ agentId }) => `?agent=${encodeURIComponent(agentId)}`;
  const each = await Promise.all(
    agents.map(async agent => ({
      agent,
      approvals: await ask('GET', `/api/approvals${query(agent)}`),
      status: await ask('GET', `/api/mcp/status${query(agent)}`),
    })),
  );
  const approvals = each.flatMap(({ agent, approvals: open }) =>
    open.map(approval => {
      const card = approvalCard(approval, whose(agent), Date.now());
      const path = `/api/approvals/${encodeURIComponent(approval.id)}${query(agent)}`;
      return { ...card, choices: card.choices.map(choice => ({ ...choice, path })) };
    }),
  );
  const servers = each.flatMap(({ agent, status }) =>
    status.servers.map(server => {
      const card = serverCard(server, whose(agent));
      return { ...card, choices: card.choices.map(choice => ({ ...choice, path: choice.path + query(agent) })) };
    }),
  );
  place(element('approvals'), approvals, 'no-approvals', 'approvals-heading');
  place(element('servers'), servers, 'no-servers', 'servers-heading');
  const gateways = each.flatMap(({ agent, status }) => {
    const card = gatewayCard(status.gateway);
    if (card === undefined) return [];
    return [{ ...card, choices: card.choices.map(choice => ({ ...choice, path: choice.path + query(agent) })) }];
  });
  place(element('gateway'), gateways, 'no-gateway', 'gateway-heading');
  const { docker } = each[0].status;
  element('docker').textContent = docker.state === 'available' ? '' : docker.sentence;
  document.title = approvals.length === 0 ? 'Longshore' : `(${approvals.length}) Longshore`;
}

/** Looks in the catalogs; what could be read is shown beside what could not. */
async function search(words) {
  problem('');
  element('found-text').textContent = 'Looking in the catalogs …';
  try {
    const { data } = await ask('GET', `/api/mcp/catalog?q=${encodeURIComponent(words)}`);
    showFound(data.matches);
  } catch (error) {
    if (error instanceof Refused) return signedOut();
    showFound(error.data?.matches ?? []);
    problem(error.message);
  }
}

function showFound(matches) {
  const count = `${matches.length} ${matches.length === 1 ? 'server' : 'servers'} found.`;
  element('found-text').textContent = matches.length === 0 ? 'Nothing was found.' : count;
  place(element('found'), matches.map(catalogCard), 'no-found', 'catalog-heading');
}

let waiting;

/** Many things change at once; one look is enough for all of them. */
function refreshSoon() {
  waiting ??= setTimeout(async () => {
    waiting = undefined;
    try {
      await refresh();
    } catch (error) {
      if (error instanceof Refused) signedOut();
      else problem(error.message);
    }
  }, 200);
}

/** Listens for changes until the stream ends; gives the id of the last one. */
async function listen(lastId) {
  const response = await fetch('/api/events', {
    headers: {
      authorization: `Bearer ${session.get()}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    signal: following.signal,
  });
  if (response.status === 401) throw new Refused('signed out');
  element('status').textContent = 'Connected; what changes shows up by itself.';
  refreshSoon();
  let text = '';
  let last = lastId;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last;
    const { events, rest } = readEvents(text + value);
    text = rest;
    if (events.length > 0) refreshSoon();
    last = events.at(-1)?.id ?? last;
  }
}

async function follow() {
  following = new AbortController();
  let last;
  while (session.get() !== undefined) {
    try {
      last = await listen(last);
    } catch (error) {
      if (error instanceof Refused) return signedOut();
    }
    if (session.get() === undefined) return;
    element('status').textContent = 'The connection to the service is lost; trying again.';
    await new Promise(resolve => setTimeout(resolve, 2_000));
  }
}

async function signOut() {
  await ask('POST', '/api/sign-out').catch(() => undefined);
  signedOut();
}

element('mcp-address').textContent = `${location.origin}/mcp`;
element('catalog').addEventListener('submit', event => {
  event.preventDefault();
  const words = element('catalog-words').value.trim();
  if (words !== '') void search(words);
});
element('sign-out').addEventListener('click', () => void signOut());

await signIn();
show(session.get() !== undefined);
if (session.get() !== undefined) void follow();
