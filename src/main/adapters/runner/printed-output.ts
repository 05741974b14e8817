import { StringDecoder } from 'node:string_decoder'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** What a child prints to its standard output, up to the line that ends it. */
export interface PrintedOutput {
  /** `full` when the code printed more than the limit, `ended` when its last line has come. */
  accept(chunk: Buffer): 'open' | 'ended' | 'full'
  /** Without the line that ends it, and never longer than the limit. */
  text(): string
}

/** `end` is the last line. The child's code cannot know it. `limit` is in characters. */
export function createPrintedOutput(end: string, limit: number): PrintedOutput {
  const decoder = new StringDecoder('utf8')
  const last = `${end}\n`
  let text = ''
  let isEnded = false
  return {
    accept(chunk) {
      text += decoder.write(chunk)
      isEnded = text.endsWith(last)
      if (text.length > limit + last.length || (isEnded && text.length - last.length > limit)) return 'full'
      return isEnded ? 'ended' : 'open'
    },
    text: () => beginningOf(isEnded ? text.slice(0, -last.length) : text, limit),
  }
}
