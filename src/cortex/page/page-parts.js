/** The parts of the page that touch nothing of it: from what the service says to what a person reads. */

/** The one-time token in an address's fragment, `#sign-in=…`; undefined if there is none. */
export function signInToken(hash) {
  return /^#sign-in=([\w.~-]+)$/.exec(hash)?.[1];
}

/** Takes the whole events off the front of a stream's text: `{ events: [{ id, type, data }], rest }`. */
export function readEvents(text) {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.flatMap(readEvent), rest };
}

function readEvent(block) {
  const fields = new Map(
    block.split('\n').map(line => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
  const type = fields.get('event');
  return type === undefined ? [] : [{ id: fields.get('id'), type, data: fields.get('data') ?? '' }];
}

/** Text of somebody else with what cannot be seen made visible, so that nothing in it can pass for something else. */
export function visible(text) {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, character =>
    character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** One waiting approval as its card shows it. `agent` is its agent's name where there are several. */
export function approvalCard(approval, agent, now) {
  const {
    id,
    caller,
    server,
    tool,
    handleName,
    args,
    unseen,
    because,
    meta,
    misfits,
    changed,
    scopes,
    expiresAt,
    state,
  } = approval;
  const whose = agent === undefined ? '' : ` for the agent ${visible(agent)}`;
  const labels = { once: 'Approve once', session: 'Approve for this session', always: 'Always allow' };
  return {
    key: id,
    title: `${visible(server)}.${visible(tool ?? handleName)}`,
    lines: [
      `${visible(caller)} wants to call it${whose}${state === 'awaiter-gone' ? '; it will run when it is asked for again' : ''}.`,
      visible(because ?? ''),
      unseen.folded + unseen.cut > 0
        ? `Not shown: ${unseen.folded} folded as possible secrets, ${unseen.cut} characters at the end. To see all of it: longshore approvals --open ${id}`
        : '',
      ...(meta === null || meta === undefined ? [] : [`Sent beside them in _meta: ${visible(meta)}`]),
      ...misfits.map(misfit => `Does not fit the tool's own schema: ${visible(misfit)}`),
      ...changed.map(
        ({ path, before, after }) => `Changed since it was allowed: ${path}: ${short(before)} → ${short(after)}`,
      ),
      `Open for another ${minutes(expiresAt - now)}.`,
    ].filter(line => line !== ''),
    args: visible(pretty(args)),
    choices: [
      ...scopes.map(scope => ({ label: labels[scope], body: { approve: true, scope } })),
      { label: 'Reject', body: { approve: false } },
    ],
    commands: [`longshore approve ${id}`, `longshore reject ${id}`],
  };
}

/** One server as its card shows it. */
export function serverCard(server, agent) {
  const { serverId, name, state, sentence, action, needsAttention, protocol_version: version, tools } = server;
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return {
    key: serverId ?? server.server,
    title: visible(name) + (agent === undefined ? '' : ` (${visible(agent)})`),
    state,
    needsAttention,
    lines: [visible(sentence), version === null ? count : `${count}, protocol ${visible(version)}`],
    choices: actionOf(action),
    commands: action.command === undefined ? [] : [action.command],
  };
}

/** One entry of a catalog as its card shows it: what it is, what it needs first, and the one button. */
export function catalogCard(entry) {
  const { name, source, title, description, tools, load, needs, isolation } = entry;
  const isReady = load !== null && needs.length === 0;
  return {
    key: name,
    title: visible(title ?? name),
    state: visible(source),
    needsAttention: false,
    lines: [
      visible(description ?? ''),
      tools.length === 0 ? '' : `Tools: ${visible(tools.slice(0, 12).join(', '))}${tools.length > 12 ? ' …' : ''}`,
      visible(isolation),
      needs.length === 0 ? '' : 'It needs something first, which only the command line takes:',
    ].filter(line => line !== ''),
    choices: isReady ? [{ label: 'Load', method: 'POST', path: '/api/mcp/load', body: { ref: name } }] : [],
    commands: load === null || isReady ? [] : commandsFor(name, needs),
  };
}

/** Secrets first, then the load with its settings. */
function commandsFor(name, needs) {
  const settings = needs.filter(need => need.startsWith('--set ')).map(need => ` ${need}`);
  return [...needs.filter(need => !need.startsWith('--set ')), `longshore load ${name}${settings.join('')}`].map(
    visible,
  );
}

/** The gateway as a card; undefined where nothing was requested of it. */
export function gatewayCard(gateway) {
  if (gateway === null) return undefined;
  const { requested_servers: requested, observed_tools: observed, not_in_effect: missing } = gateway;
  return {
    key: 'gateway',
    title: 'Docker MCP Gateway',
    needsAttention: missing.length > 0,
    lines: [
      `Requested: ${visible(requested.join(', '))}.`,
      `Observed tools: ${observed.length === 0 ? 'none' : visible(observed.join(', '))}.`,
      ...missing.map(({ name, why }) => `Not in effect: ${visible(name)}: ${visible(why)}`),
    ],
    choices: [{ label: 'Stop and forget its servers', method: 'POST', path: '/api/mcp/gateway/stop' }],
    commands: [],
  };
}

/** What the page can do itself of what a command does. */
function actionOf({ label, command = '' }) {
  const [, verb, ref] = /^longshore (load|restart|reload|unload|enable) (\S+)$/.exec(command) ?? [];
  if (verb === undefined) return [];
  if (verb === 'enable') {
    return [{ label, method: 'PATCH', path: `/api/mcp-servers/${encodeURIComponent(ref)}`, body: { enabled: true } }];
  }
  return [{ label, method: 'POST', path: `/api/mcp/${verb}`, body: { ref } }];
}

function short(value) {
  return value === undefined ? 'nothing' : visible(JSON.stringify(value)).slice(0, 200);
}

function pretty(args) {
  try {
    return JSON.stringify(JSON.parse(args), undefined, 2);
  } catch {
    // Cut, because it was very long.
    return args;
  }
}

function minutes(milliseconds) {
  const count = Math.max(0, Math.ceil(milliseconds / 60_000));
  return count === 1 ? 'minute' : `${count} minutes`;
}
