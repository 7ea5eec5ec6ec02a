import type { ApprovalView } from '../client/api-types.ts';
import type { JsonValue } from '../core/json.ts';
import { timeText } from './time-text.ts';
import { cutText, visibleText } from './visible-text.ts';

/** More of an argument than a person reads in a terminal; `--json` and the page have all of it. */
const longestArgs = 2_000;

/** One question as a person decides it: who, what, with which arguments, why, and how long it stays open. */
export function renderApproval(approval: ApprovalView, now: number): string {
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
    state,
    expiresAt,
    reason,
  } = approval;
  const name = tool === null ? handleName : `${server}.${tool}`;
  const isOpen = state === 'pending' || state === 'awaiter-gone';
  const end = isOpen ? `open for another ${timeText(expiresAt - now)}` : [state, reason].filter(Boolean).join(': ');
  return [
    `${visibleText(name)}  asked by ${visibleText(caller)}, ${end}`,
    `  arguments  ${cutText(visibleText(args), longestArgs)}`,
    ...(unseen.folded + unseen.cut > 0 && isOpen
      ? [`  not shown  ${unseenText(unseen)}: longshore approvals --open ${id}`]
      : []),
    ...(because === null ? [] : [`  why        ${visibleText(because)}`]),
    ...(meta === null ? [] : [`  _meta  ${cutText(visibleText(meta), 400)}`]),
    ...misfits.map(misfit => `  does not fit  ${cutText(visibleText(misfit), 400)}`),
    ...changed.map(
      ({ path, before, after }) => `  changed    ${visibleText(path)}: ${short(before)} → ${short(after)}`,
    ),
    `  id         ${id}`,
  ].join('\n');
}

function unseenText({ folded, cut }: ApprovalView['unseen']): string {
  const parts = [
    folded > 0 ? `${folded} folded as possible secrets` : '',
    cut > 0 ? `${cut} characters at the end` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function short(value: JsonValue | undefined): string {
  return value === undefined ? '(nothing)' : cutText(visibleText(JSON.stringify(value)), 200);
}
