import type { Screen } from '../screen/screen.ts'
import { cutLine, type Line, lineWidth, type Span, widthOf, wrapLine } from '../screen/spans.ts'
import type { ShownLine } from './shown-line.ts'

/** The widest column of names, on wide and on narrow screens. */
const widestName = { wide: 16, narrow: 8 } as const
const narrowBelow = 60

export interface Layout {
  /** The lines of a screen for one thing that happened. The agent's name stands at each. */
  readonly lay: (shown: ShownLine) => readonly Line[]
  /** The name of an agent as a column. */
  readonly nameColumn: (agent: string | null) => Line
  /** Columns beside the names. */
  readonly room: () => number
}

/**
 * Lays lines out in two columns: whose it is, and what it is. The column of names grows with the names. `hueOf` gives
 * the number of an agent's colour, null for none; `names` are those of all agents so far.
 */
export function createLayout(
  screen: Screen,
  hueOf: (agent: string) => number | null,
  names: () => readonly string[],
): Layout {
  let widest = 4
  let known = 0
  const mostForNames = (): number => (screen.columns() < narrowBelow ? widestName.narrow : widestName.wide)
  const nameColumn = (agent: string | null): Line => {
    const all = names()
    if (all.length !== known) widest = Math.min(Math.max(widest, ...all.map(widthOf)), mostForNames())
    known = all.length
    const width = Math.min(widest, mostForNames())
    const name = cutLine([{ text: agent ?? '', tone: (agent !== null && hueOf(agent)) || 'strong' }], width)
    return [...name, { text: ' '.repeat(Math.max(0, width - lineWidth(name)) + 2) }]
  }
  const room = (): number => Math.max(8, screen.columns() - Math.min(widest, mostForNames()) - 3)
  return {
    nameColumn,
    room,
    lay({ agent, line, kind }) {
      const name = nameColumn(agent)
      const [mark, indent] = markOf(kind, screen.hasMarks)
      const rows = wrapLine(line, room() - indent)
      return rows.map((row, index) => [...name, ...(index === 0 ? mark : [{ text: ' '.repeat(indent) }]), ...row])
    },
  }
}

function markOf(kind: ShownLine['kind'], hasMarks: boolean): readonly [readonly Span[], number] {
  switch (kind) {
    case 'call':
      return [[{ text: hasMarks ? '• ' : '* ', tone: 'dim' }], 2]
    case 'failed':
      return [[{ text: hasMarks ? '✗ ' : 'x ', tone: 'bad' }], 2]
    default:
      return [[], 0]
  }
}
