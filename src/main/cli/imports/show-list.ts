import { type ImportItem, type ImportState, importTools } from '#shared/contract/views/imports.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'

const words: Readonly<Record<ImportState, readonly [word: string, tone: Tone]>> = {
  new: ['new', 'good'],
  differs: ['differs', 'warn'],
  same: ['here already', 'dim'],
  read_here: ['read where it is', 'dim'],
  left_out: ['left out', 'warn'],
}
const tools = { claude: 'Claude Code', codex: 'Codex', cursor: 'Cursor', opencode: 'OpenCode' } as const

/** The items in a table for each tool, with what there is to say about each. */
export function listLines(items: readonly ImportItem[]): readonly Line[] {
  if (items.length === 0) return [lineOf('Nothing was found.')]
  return importTools.flatMap((tool) => {
    const own = items.filter((item) => item.tool === tool)
    if (own.length === 0) return []
    const rows = own.map((item): readonly Line[] => {
      const [word, tone] = words[item.state]
      return [
        lineOf(item.kind),
        lineOf(item.name),
        lineOf(word, tone),
        lineOf([item.source, ...item.notes].join(' · '), 'dim'),
      ]
    })
    return [lineOf(tools[tool], 'strong'), ...tableLines(['kind', 'name', 'state', 'from'], rows), lineOf('')]
  })
}

/** What taking an item would write, and what that would replace. */
export function previewLines({ kind, name, target, preview, before, notes }: ImportItem): readonly Line[] {
  const linesOf = (text: string, sign: string, tone: Tone) =>
    text.split('\n').map((line) => lineOf(`${sign} ${line}`, tone))
  return [
    lineOf(`${kind} ${name} → ${target}`, 'strong'),
    ...notes.map((note) => lineOf(note, 'warn')),
    ...(before === null ? [] : linesOf(before.trimEnd(), '-', 'bad')),
    ...linesOf(preview.trimEnd(), '+', 'good'),
    lineOf(''),
  ]
}
