import type { FromChild, Stream } from './protocol.ts'

const flushMs = 10
const flushCharacters = 16 * 1024

/** Joins what is printed close together. It also sends from within a run that never lets the process rest. */
export function createChildOutput(send: (message: FromChild) => void) {
  let waiting: { readonly stream: Stream; text: string }[] = []
  let characters = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    for (const { stream, text } of waiting) send({ type: 'output', stream, text })
    waiting = []
    characters = 0
  }
  return {
    flush,
    write(stream: Stream, text: string): void {
      const now = performance.now()
      if (waiting.length === 0) since = now
      const last = waiting.at(-1)
      if (last?.stream === stream) last.text += text
      else waiting.push({ stream, text })
      characters += text.length
      if (characters > flushCharacters || now - since > flushMs) flush()
      else timer ??= setTimeout(flush, flushMs)
    },
  }
}
