import { StringDecoder } from 'node:string_decoder'

/** Keeps the head and the tail of the output, and passes the head or all of it on as it arrives. */
export interface BoundedOutput {
  accept(stream: 'stdout' | 'stderr', chunk: Buffer): void
  result(): { readonly output: string; readonly omittedBytes: number }
}

const pieceBytes = 64 * 1024

/** `limit` is in bytes, half for each end. `passesAll`: the listener gets what is beyond it too. */
export function createBoundedOutput(limit: number, onOutput: (text: string) => void, passesAll = false): BoundedOutput {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  const half = Math.floor(limit / 2)
  let head = ''
  let headBytes = 0
  const tail: Buffer[] = []
  let tailBytes = 0
  let total = 0

  function keep(text: string): void {
    const bytes = Buffer.from(text)
    total += bytes.length
    if (headBytes < half) {
      const fitting = bytes.length <= half - headBytes ? text : cutText(bytes, half - headBytes)
      head += fitting
      headBytes += Buffer.byteLength(fitting)
      if (fitting.length < text.length) headBytes = half
      appendTail(bytes.subarray(Buffer.byteLength(fitting)))
    } else appendTail(bytes)
  }
  /** Drops whole pieces from the front, so that the cost of a flood grows only with its length. */
  function appendTail(bytes: Buffer): void {
    const last = tail.at(-1)
    if (last && last.length + bytes.length <= pieceBytes) tail.splice(-1, 1, Buffer.concat([last, bytes]))
    else tail.push(bytes)
    tailBytes += bytes.length
    for (let first = tail[0]; first && tailBytes - first.length >= half; first = tail[0]) {
      tailBytes -= first.length
      tail.shift()
    }
  }

  return {
    accept(stream, chunk) {
      const text = decoders[stream].write(chunk)
      if (text === '') return
      if (passesAll || total <= limit) onOutput(text)
      keep(text)
    },
    result() {
      for (const decoder of Object.values(decoders)) keep(decoder.end())
      const kept = Buffer.concat(tail)
      const end = kept.length > half ? startOfCharacter(kept.subarray(kept.length - half)) : kept
      const omittedBytes = total - Buffer.byteLength(head) - end.length
      const notice = omittedBytes > 0 ? `\n… ${omittedBytes} bytes left out …\n` : ''
      return { output: head + notice + end.toString(), omittedBytes }
    },
  }
}

function cutText(bytes: Buffer, length: number): string {
  return new StringDecoder('utf8').write(bytes.subarray(0, length))
}

function startOfCharacter(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start)
}
