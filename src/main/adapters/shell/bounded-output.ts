import { StringDecoder } from 'node:string_decoder'

/** Keeps the head and the tail of what comes in, and passes on what comes first. */
export interface BoundedOutput {
  accept(stream: 'stdout' | 'stderr', chunk: Buffer): void
  result(): { readonly output: string; readonly omittedBytes: number }
}

/** `limit` is in bytes; half of it is kept from either end. */
export function createBoundedOutput(limit: number, onOutput: (text: string) => void): BoundedOutput {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  const half = Math.floor(limit / 2)
  let head = ''
  let headBytes = 0
  let tail = Buffer.alloc(0)
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
  function appendTail(bytes: Buffer): void {
    tail = Buffer.concat([tail, bytes])
    if (tail.length > half * 2) tail = Buffer.from(tail.subarray(tail.length - half))
  }

  return {
    accept(stream, chunk) {
      const text = decoders[stream].write(chunk)
      if (text === '') return
      if (total <= limit) onOutput(text)
      keep(text)
    },
    result() {
      for (const decoder of Object.values(decoders)) keep(decoder.end())
      const end = tail.length > half ? startOfCharacter(tail.subarray(tail.length - half)) : tail
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
