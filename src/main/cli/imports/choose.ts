import type { ImportItem, ImportKind, ImportTool } from '#shared/contract/views/imports.ts'
import { UsageError } from '../arguments.ts'

/** What a person wants of the list. */
export interface Wishes {
  /** Empty for all. */
  readonly tools: readonly ImportTool[]
  /** All that is new. */
  readonly all: boolean
  readonly only: readonly { readonly kind: ImportKind; readonly name: string | null }[]
}

/** True for an item that can be taken without replacing anything. */
export function takesNew({ state }: ImportItem): boolean {
  return state === 'new'
}

/** The items that a person means, and sentences about what of that is not taken. Throws `UsageError` for what is not there. */
export function chosenIn(
  items: readonly ImportItem[],
  { all, only }: Pick<Wishes, 'all' | 'only'>,
): { readonly chosen: readonly ImportItem[]; readonly notes: readonly string[] } {
  const meant = all ? items.filter(takesNew) : only.flatMap((wish) => meantBy(items, wish))
  const chosen = new Map<string, ImportItem>()
  const notes: string[] = []
  for (const item of new Set(meant)) {
    const key = `${item.kind} ${item.target}`
    const rival = chosen.get(key)
    if (item.state !== 'new' && item.state !== 'differs')
      notes.push(`${item.kind} ${item.name} (${item.source}) is not taken: ${whyNot(item)}`)
    else if (rival) notes.push(`${item.kind} ${item.name} of ${item.tool} is not taken: ${rival.tool} has it too.`)
    else chosen.set(key, item)
  }
  return { chosen: [...chosen.values()], notes }
}

function meantBy(items: readonly ImportItem[], { kind, name }: Wishes['only'][number]): readonly ImportItem[] {
  const ofKind = items.filter((item) => item.kind === kind)
  if (name === null) return ofKind.filter(takesNew)
  const named = ofKind.filter((item) => item.name === name)
  if (named.length > 0) return named
  const known = ofKind.map((item) => item.name).join(', ')
  throw new UsageError(
    `--only: there is no ${kind} ${JSON.stringify(name)}. ${known === '' ? 'There is none of that kind.' : `There are: ${known}.`}`,
  )
}

function whyNot({ state, notes }: ImportItem): string {
  if (state === 'same') return 'it is here already.'
  if (state === 'read_here') return 'Coppice reads it where it is.'
  return notes.join(' ')
}
