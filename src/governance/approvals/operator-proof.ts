import { LongshoreError } from '../../core/errors.ts';

/** Makes a proof impossible to write down by hand. */
declare const operator: unique symbol;

/**
 * Shows that whoever holds it speaks for the operator. Opaque and unforgeable: an edge gets one for a door at which the
 * operator has shown itself (its token, a terminal, the page's sign-in), and hands it on with every decision. A caller
 * has none, whatever it calls itself.
 */
export interface OperatorProof {
  readonly [operator]: true;
}

/** The two halves of deciding: who may give proofs out, and who believes them. */
export interface OperatorDesk {
  /** A proof for one door (`cli`, `page`, `library`, `rest` …); the record names it. Held by the host alone. */
  admit(door: string): OperatorProof;
  /** The proof's door. Throws `denied` for anything that this desk did not give out. */
  door(proof: OperatorProof): string;
}

/** One desk for one host: proofs of another are not believed. */
export function operatorDesk(): OperatorDesk {
  const doors = new WeakMap<object, string>();
  return {
    admit(door) {
      const proof = Object.freeze({}) as OperatorProof;
      doors.set(proof, door);
      return proof;
    },
    door(proof) {
      const door = typeof proof === 'object' && proof !== null ? doors.get(proof) : undefined;
      if (door !== undefined) return door;
      throw new LongshoreError('denied', 'Only the operator decides, through the CLI on a terminal or the page.');
    },
  };
}
