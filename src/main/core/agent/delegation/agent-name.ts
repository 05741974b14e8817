import { LayeredMap } from '#shared/base/layered-map.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { lastSeen, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'

const mostWords = 4
/** Characters, without the number that makes a name unique. */
const longest = 32

/**
 * A name for an agent that was started without one, made from its task: "Check tax rounding" becomes
 * `check-tax-rounding`. A task without a word becomes `agent`. A name that is taken gets a number.
 */
export function nameFromTask(task: string, isTaken: (name: string) => boolean): string {
  const name = shortName(task)
  if (!isTaken(name)) return name
  let number = 2
  while (isTaken(`${name}-${number}`)) number += 1
  return `${name}-${number}`
}

/** The names that agents of a family have or are about to get. The caller may add names to the set. */
export type FamilyNames = (state: ProjectState) => Set<string>

/**
 * Collects the names of a family for many questions, each about a later state: each looks only at what is new since the
 * one before. Agents that a rewind took away count too, because a redo may bring them back.
 */
export function createFamilyNames(threadId: ThreadId): FamilyNames {
  const names = new Set<string>()
  /** How many of its subagents are known, for each agent of the family. */
  const known = new Map<ThreadId, number>()
  let children: ProjectState['children'] = LayeredMap.empty()
  const take = (state: ProjectState, id: ThreadId): void => {
    names.add((state.threads.get(id) ?? lastSeen(state, id))?.agent ?? '')
    takeBelow(state, id)
  }
  const takeBelow = (state: ProjectState, id: ThreadId): void => {
    const below = state.children.get(id) ?? []
    const seen = known.get(id) ?? 0
    known.set(id, below.length)
    for (const child of below.slice(seen)) take(state, child)
  }
  return (state) => {
    if (known.size === 0) take(state, rootThreadOf(state, threadId))
    for (const id of state.children.touchedSince(children)) if (known.has(id)) takeBelow(state, id)
    children = state.children
    return names
  }
}

function shortName(task: string): string {
  let name = ''
  let count = 0
  for (const { word, endsSentence } of wordsOf(task)) {
    const longer = name === '' ? word.slice(0, longest) : `${name}-${word}`
    if (longer.length > longest) break
    name = longer
    count += 1
    if (count === mostWords || (count > 1 && endsSentence)) break
  }
  return name || 'agent'
}

/** The words that say something, in lower case. A path counts as the name of its file. */
function* wordsOf(task: string): Generator<{ readonly word: string; readonly endsSentence: boolean }> {
  for (const token of task.slice(0, 1000).toLowerCase().split(/\s+/)) {
    const parts = token.replace(/[.:;,!?)\]}"'`*]+$/, '')
    const last = parts.split(/[\\/]/).findLast((part) => part !== '') ?? ''
    const said = last.replace(/(?<=.)\.\p{L}\w{0,4}$/u, '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
    const words = said.filter((word) => !fillers.has(word))
    const ends = /[.:;!?]$/.test(token)
    for (const [index, word] of words.entries()) yield { word, endsSentence: ends && index === words.length - 1 }
  }
}

const fillers = new Set(
  'a an the this that these those of in on to for and or with by from at into as all please you your should'.split(' '),
)
