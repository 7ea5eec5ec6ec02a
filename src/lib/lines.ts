/** Cuts what comes in pieces into lines. Blank lines are left out. */
export class Lines {
  readonly #most: number;
  readonly #tooLong: () => Error;
  #pieces: Buffer[] = [];
  #length = 0;

  /** A line of more than `most` bytes makes `read` throw what `tooLong` gives. */
  constructor(most: number, tooLong: () => Error) {
    this.#most = most;
    this.#tooLong = tooLong;
  }

  /** The lines that this piece ends. */
  read(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, at));
      lines.push(...this.rest());
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  /** What no line break has ended yet, as a last line; nothing of it is left. */
  rest(): readonly string[] {
    const line = Buffer.concat(this.#pieces).toString('utf8').trim();
    this.#pieces = [];
    this.#length = 0;
    return line === '' ? [] : [line];
  }

  #add(piece: Buffer): void {
    if (piece.byteLength === 0) return;
    this.#length += piece.byteLength;
    if (this.#length > this.#most) throw this.#tooLong();
    this.#pieces.push(piece);
  }
}
