import type { ThreadId } from '#shared/model/ids.ts'
import { everInFamily, lastSeen, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'

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

/** The names of all agents of a family. Agents that a rewind took away count too, because a redo may bring them back. */
export function namesInFamily(state: ProjectState, threadId: ThreadId): Set<string> {
  const names = [...everInFamily(state, rootThreadOf(state, threadId))].map(
    (id) => (state.threads.get(id) ?? lastSeen(state, id))?.agent ?? '',
  )
  return new Set(names)
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
