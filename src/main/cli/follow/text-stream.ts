import type { ThreadId } from '#shared/model/ids.ts'
import { lineOf, plainText, wrapLine } from '../screen/spans.ts'
import type { ShownLine } from './shown-line.ts'

/** Replies as they stream in. Whole lines leave it, and the line that is being written stays. */
export interface TextStream {
  /** Adds text and returns the lines that are whole now, broken at `room` columns. */
  take(threadId: ThreadId, agent: string, text: string, room: number): readonly ShownLine[]
  /** Ends the reply and returns what is left of it. Null when nothing of it streamed in. */
  end(threadId: ThreadId, agent: string): readonly ShownLine[] | null
  /** Forgets the line that is being written. */
  drop(threadId: ThreadId): void
  /** The lines that are being written, by thread. */
  readonly open: ReadonlyMap<ThreadId, ShownLine>
}

export function createTextStream(): TextStream {
  const open = new Map<ThreadId, ShownLine>()
  const textOf = (threadId: ThreadId): string => plainText(open.get(threadId)?.line ?? [])
  const shown = (agent: string, text: string): ShownLine => ({ agent, line: lineOf(text), kind: 'text' })
  return {
    open,
    take(threadId, agent, text, room) {
      const isFirst = !open.has(threadId)
      const lines = `${textOf(threadId)}${isFirst ? text.trimStart() : text}`.split('\n')
      const last = lines.pop() ?? ''
      const rows = wrapLine(lineOf(last), room).map(plainText)
      // A space at the end of the row may still separate words.
      const rest = `${rows.pop() ?? ''}${/ *$/.exec(last)?.[0] ?? ''}`
      if (isFirst && rest === '' && lines.length === 0) return []
      open.set(threadId, shown(agent, rest))
      return [...lines, ...rows].map((line) => shown(agent, line))
    },
    end(threadId, agent) {
      if (!open.has(threadId)) return null
      const rest = textOf(threadId).trimEnd()
      open.delete(threadId)
      return rest === '' ? [] : [shown(agent, rest)]
    },
    drop: (threadId) => void open.delete(threadId),
  }
}
