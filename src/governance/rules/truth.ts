/**
 * Whether a condition holds. `unclear` where it cannot be said for sure; it never opens the door: it satisfies a rule
 * that holds calls back and does not satisfy one that lets them pass.
 */
export type Truth = 'yes' | 'no' | 'unclear';

/** `yes` or `no`. */
export function asTruth(holds: boolean): Truth {
  return holds ? 'yes' : 'no';
}

/** Not; what is unclear stays so. */
export function opposite(truth: Truth): Truth {
  if (truth === 'unclear') return 'unclear';
  return truth === 'yes' ? 'no' : 'yes';
}

/** The answer on which all agree; none at all is no answer. */
export function agreed(truths: readonly Truth[]): Truth {
  const [first = 'unclear'] = truths;
  return truths.every(truth => truth === first) ? first : 'unclear';
}

/** Or. */
export function anyOf(truths: readonly Truth[]): Truth {
  if (truths.includes('yes')) return 'yes';
  return truths.includes('unclear') ? 'unclear' : 'no';
}

/** And. */
export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes('no')) return 'no';
  return truths.includes('unclear') ? 'unclear' : 'yes';
}
