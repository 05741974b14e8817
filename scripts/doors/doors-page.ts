import { procedures } from '../../src/shared/contract/procedures.testkit.ts'
import { code, pageHead, table } from '../docs/markdown.ts'
import { rows } from './doors.ts'
import { findDoors, kinds } from './find-doors.ts'
import { procedureGuards } from './procedures-by-guards.ts'
import { guards, tools } from './tools-by-guards.ts'

const titles = {
  tools: 'Tools',
  readers: 'Readers: who opens files that others wrote',
  writers: 'Writers: who changes files',
  programs: 'Programs: who starts them',
  listeners: 'Listeners: who can be reached',
  prompts: 'Prompts: where texts of others reach a model',
  cards: 'Cards: what a person decides by',
  logins: 'Logins and keys',
  stores: 'Stores: what is kept',
  procedures: 'Procedures: what a window may ask of the app',
  promises: 'Promises: what guards them beside the doors',
} as const

/** `docs/doors.md`. */
export function doorsPage(): string {
  const found = findDoors()
  const parts = kinds.map((kind) => {
    const count = found[kind].length
    const where = kind === 'promises' ? '[Security](security.md), each with a guard' : 'the code'
    return `## ${titles[kind]}\n\n${count} found in ${where}.\n\n${tableOf(kind)}`
  })
  return `${pageHead('Doors and guards', '`scripts/doors/`')}
Each door of the program, where something of others comes in or goes out, and what guards it. Doors are found in the code: a new one
without a guard fails \`scripts/doors/doors.test.ts\`, as does a test that is gone or a mutation whose place is gone. For tools the table is
made of their facts, and each cell is tried with the real rules. Paths are below \`src/\`.

${parts.join('\n')}`
}

function tableOf(kind: (typeof kinds)[number]): string {
  if (kind === 'tools') return toolsTable()
  return kind === 'procedures' ? `${proceduresTable()}\n${rowsTable(kind)}` : rowsTable(kind)
}

function proceduresTable(): string {
  const cells = procedures.map((one) => [
    code(one.name),
    ...procedureGuards.map(({ isAbout }) => (isAbout(one) ? 'holds' : '–')),
  ])
  return table(['procedure', ...procedureGuards.map(({ guard }) => guard)], cells)
}

function toolsTable(): string {
  const names = guards.map(({ name }) => name)
  const cells = tools.map((tool) => [code(tool.name), ...guards.map(({ isAbout }) => (isAbout(tool) ? 'holds' : '–'))])
  const mutations = guards.map(({ name, mutation: [text, without] }) => [name, shownMutation(text, without)])
  return `${table(['tool', ...names], cells)}\n${table(['guard', 'mutation in `core/approval/policy.ts`'], mutations)}`
}

function rowsTable(kind: (typeof kinds)[number]): string {
  const own = rows.filter((row) => row.kind === kind)
  const hasDoors = kind !== 'procedures' && kind !== 'promises'
  return table(
    ['guard', ...(hasDoors ? ['doors'] : []), 'test', 'mutation'],
    own.map(({ guard, doors, test: [file, title], mutation: [place, text, without] }) => [
      guard,
      ...(hasDoors ? [doors.map(code).join(', ')] : []),
      `${code(file)}: *${title}*`,
      `${code(place)}: ${shownMutation(text, without)}`,
    ]),
  )
}

function shownMutation(text: string, without: string): string {
  return `${code(text.trim())} → ${without === '' ? 'nothing' : code(without.trim())}`
}
