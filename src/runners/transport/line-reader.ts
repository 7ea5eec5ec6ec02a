/** What is kept of a line that was too long: enough to see whose answer it was. */
export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
  /** Its length in bytes, without the line end. */
  readonly bytes: number;
}

export interface LineReader {
  push(chunk: Buffer): void;
  /** The stream is over: what is left counts as a line. */
  end(): void;
}

const headBytes = 1024;
const tailBytes = 256;

/**
 * Cuts a byte stream into lines (without their `\n`). Chunks are kept as they are and joined once per line, so that a
 * long line costs linear time. A line over `maxBytes` is not kept but told in short, and the next line is read as usual.
 */
export function createLineReader(options: {
  readonly maxBytes: number;
  readonly onLine: (line: Buffer) => void;
  readonly onOversized: (line: OversizedLine) => void;
}): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let head: Buffer | undefined;
  let tail: Buffer = Buffer.alloc(0);

  const keep = (part: Buffer): void => {
    size += part.length;
    if (head === undefined) {
      parts.push(part);
      if (size <= options.maxBytes) return;
      const line = parts.length === 1 ? part : Buffer.concat(parts);
      parts = [];
      head = Buffer.from(line.subarray(0, headBytes));
      tail = Buffer.from(line.subarray(-tailBytes));
    } else {
      tail = Buffer.concat([tail, part.subarray(-tailBytes)]).subarray(-tailBytes);
    }
  };

  const finish = (): void => {
    const [line, whole, bytes] = [parts, head, size];
    parts = [];
    head = undefined;
    size = 0;
    if (whole !== undefined) {
      options.onOversized({ head: whole.toString('utf8'), tail: tail.toString('utf8'), bytes });
    } else {
      const [first, ...more] = line;
      if (first !== undefined) options.onLine(more.length === 0 ? first : Buffer.concat(line));
    }
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
        if (end > start) keep(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
    end: finish,
  };
}
