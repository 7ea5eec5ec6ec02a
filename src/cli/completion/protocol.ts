/**
 * How a shell's completion script asks: `longshore __complete --within 200 -- WORD…`. The words are those after
 * `longshore`, the last one being the one that is typed (it may be empty). The answer is one candidate a line, a tab and
 * a description; the candidate `:files` asks the shell to offer files. Candidates may come from servers, so the scripts
 * quote them; one that ends in `.`, `=`, `:` or `/` goes on without a space.
 */
export const completionCommand = '__complete';

/** Milliseconds that the service has to name its servers and tools; without an answer only what is known offline is offered. */
export const completionBudget = 200;

/** A line that asks for files. */
export const filesCandidate = ':files';

/** What the scripts run before the words. */
export const completionCall = `longshore ${completionCommand} --within ${completionBudget} --`;
