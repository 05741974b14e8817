import type { LineOf, RecordLine, ThreadRecord } from './record-format.ts'

export type PersonLine = LineOf<'start' | 'message' | 'configure' | 'compact' | 'act'>

/** What people did in a record, taken line by line as the replay comes to it. */
export interface PersonLines {
  /** The message that began the thread. */
  takeFirst(): LineOf<'message'> | undefined
  /** What a person did while an agent worked that had given `replies` replies. `asks` counts the questions of all. */
  takeDuring(agent: string, replies: number, asks: number): readonly PersonLine[]
  /** What a person did next, when no agent works any more. Undefined when the record is over. */
  takeNext(): PersonLine | undefined
  /** True when the run that comes next pauses after every turn. */
  isStepping(): boolean
}

export function createPersonLines({ lines }: ThreadRecord): PersonLines {
  const left = lines.filter(isPersonal)

  /** The start that a message or a summary at rest brings with it. */
  const takeStart = (): void => {
    const at = left.findIndex(({ kind }) => kind === 'start')
    if (at >= 0) left.splice(at, 1)
  }
  const takeAt = (at: number): PersonLine | undefined => left.splice(at, 1)[0]

  return {
    takeFirst() {
      const first = takeAt(left.findIndex(({ kind }) => kind === 'message'))
      takeStart()
      return first?.kind === 'message' ? first : undefined
    },
    takeDuring(agent, replies, asks) {
      const end = left.findIndex(isAtRest)
      const due = left
        .slice(0, end < 0 ? left.length : end)
        .filter((line) => line.agent === agent && isReached(line, replies, asks))
      for (const line of due) takeAt(left.indexOf(line))
      return due
    },
    takeNext() {
      const next = left.shift()
      const [after] = left
      // A message that waited for the run comes right after its start. Sent to an agent at rest, it starts one.
      const isDelivered = next?.kind === 'start' && after?.kind === 'message' && after.agent === 'main'
      if (isDelivered && after.delivery !== null) return left.shift()
      if (next && next.agent === 'main' && (next.kind === 'message' || next.kind === 'compact')) takeStart()
      return next
    },
    isStepping: () => left.some((line, index) => line.kind === 'start' && line.step && isFirstStart(left, index)),
  }
}

function isReached(line: PersonLine, replies: number, asks: number): boolean {
  if (!('replies' in line) || line.replies > replies) return false
  return line.kind !== 'configure' || line.replies < replies || line.asks <= asks
}

function isFirstStart(lines: readonly PersonLine[], index: number): boolean {
  return lines.findIndex(({ kind }) => kind === 'start') === index
}

function isPersonal(line: RecordLine): line is PersonLine {
  return ['start', 'message', 'configure', 'compact', 'act'].includes(line.kind)
}

/** True for what a person can only have done after the run. */
function isAtRest(line: PersonLine): boolean {
  if (line.kind === 'message') return line.delivery === null
  return line.kind === 'compact' ? line.atRest : line.kind !== 'configure'
}
