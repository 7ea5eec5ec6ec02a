import type { RuleId } from '../../core/ids.ts';
import type { Caller } from '../../core/words.ts';
import type { AddRoute } from '../route-maker.ts';
import { ruleView } from '../views/rule.ts';

/** Standing decisions, and which one decides. */
export function ruleRoutes(on: AddRoute): void {
  on('GET /api/rules', async ({ operator }) => (await operator()).rules.list().map(ruleView));
  on('PUT /api/rules', async ({ operator, body }) => ruleView(await (await operator()).rules.add(body)));
  on('DELETE /api/rules/:id', async ({ operator, params }) => {
    await (await operator()).rules.remove(params.id as RuleId);
    return { ok: true };
  });
  on('GET /api/rules/why', async ({ operator, query: { tool, args, caller }, signal }) => {
    const asked = await operator();
    const handle = await asked.tools.named(tool, signal);
    const { level, because, rule: decides, beat, changed } = asked.rules.why(handle, args, caller as Caller);
    return {
      tool: handle.handleName,
      level,
      because,
      rule: decides ? ruleView(decides) : null,
      beat: beat ? ruleView(beat) : null,
      changed: changed ? ruleView(changed) : null,
    };
  });
}
