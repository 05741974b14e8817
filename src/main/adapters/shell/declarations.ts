import { declarationMarker, longestPiece } from './spawn-program.ts'

type Stream = 'stdout' | 'stderr'

/** Removes the lines that declare tasks from a command's output as it arrives. */
export interface Declarations {
  /**
   * Returns the output without declarations. Holds back what may be the beginning of a marker until that is certain.
   */
  take(stream: Stream, chunk: Buffer): Buffer
  /** Returns what is still held back at the end of a stream. */
  rest(stream: Stream): Buffer
  /** Each declaration's JSON as it was written. Empty for one that was too long or is not complete. */
  readonly found: readonly string[]
}

const longestLine = 256 * 1024
/** What stands before one piece of a long task. */
const numbered = /^(\d+-\d+) (\d{1,4})\/(\d{1,4}) /
const mostPieces = Math.ceil(longestLine / longestPiece)
/** One more than a batch may have, so that too many can be detected. */
const mostKept = 10_001
const nothing = Buffer.alloc(0)
const lineEnd = 10

export function createDeclarations(nonce: string): Declarations {
  const marker = Buffer.from(declarationMarker(nonce))
  const held: Record<Stream, Buffer> = { stdout: nothing, stderr: nothing }
  const found: string[] = []
  const started = new Map<string, { readonly at: number; readonly pieces: Map<number, Buffer> }>()
  const keep = (line: Buffer) => {
    const json = line.subarray(marker.length)
    const [head = '', task = '', piece = '', pieces = ''] = numbered.exec(json.subarray(0, 80).toString('latin1')) ?? []
    if (head !== '') keepPiece(task, Number(piece), Number(pieces), json.subarray(head.length))
    else if (found.length < mostKept) found.push(json.length > longestLine ? '' : json.toString())
  }
  /** The place of a task is that of its first piece. It stays empty until the last one is there. */
  function keepPiece(name: string, piece: number, pieces: number, text: Buffer): void {
    if (!started.has(name)) {
      if (found.length >= mostKept) return
      started.set(name, { at: found.push('') - 1, pieces: new Map() })
    }
    const task = started.get(name)
    if (task === undefined || piece > pieces || pieces > mostPieces || text.length > longestPiece) return
    task.pieces.set(piece, Buffer.from(text))
    if (task.pieces.size < pieces) return
    const parts = [...task.pieces].sort(([one], [other]) => one - other).map(([, part]) => part)
    const whole = Buffer.concat(parts)
    found[task.at] = whole.length > longestLine ? '' : whole.toString()
    task.pieces.clear()
  }

  function take(stream: Stream, chunk: Buffer): Buffer {
    const plain: Buffer[] = []
    let data = held[stream].length === 0 ? chunk : Buffer.concat([held[stream], chunk])
    for (;;) {
      const start = data.indexOf(marker)
      if (start < 0) {
        const cut = data.length - outcomeQuestion(data, marker)
        held[stream] = data.subarray(cut)
        return Buffer.concat([...plain, data.subarray(0, cut)])
      }
      plain.push(data.subarray(0, start))
      const end = data.indexOf(lineEnd, start)
      if (end < 0) {
        held[stream] = cutLine(data.subarray(start))
        return Buffer.concat(plain)
      }
      keep(data.subarray(start, end))
      data = data.subarray(end + 1)
    }
  }

  /** Shortens a line that is too long. The rest still shows that it is. */
  function cutLine(line: Buffer): Buffer {
    return line.subarray(0, marker.length + longestLine + 1)
  }

  return {
    take,
    rest(stream) {
      const left = held[stream]
      held[stream] = nothing
      if (left.indexOf(marker) !== 0) return left
      keep(left)
      return nothing
    },
    found,
  }
}

/** How many bytes at the end may be the beginning of the marker. */
function outcomeQuestion(data: Buffer, marker: Buffer): number {
  for (let length = Math.min(marker.length - 1, data.length); length > 0; length -= 1)
    if (data.subarray(data.length - length).equals(marker.subarray(0, length))) return length
  return 0
}
