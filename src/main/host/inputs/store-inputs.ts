import type { ThreadId } from '#shared/model/ids.ts'
import { formatInputNote } from '#shared/model/messages/message-notes.ts'
import type { Project } from '../project/project.ts'
import type { ReadInput } from './read-input.ts'

/**
 * Stores inputs below `/inputs/`, never over an earlier file. Returns a text for the model that names each file with
 * its shape and size, not all of it.
 */
export function storeInputs({ services }: Project, threadId: ThreadId, inputs: readonly ReadInput[]): string {
  const { scratch, prefixes, log } = services
  const root = log.rootOf(threadId) ?? threadId
  const notes = inputs.map(({ file, text, about, detail }) => {
    const bytes = new TextEncoder().encode(text)
    const path = freeName(`${prefixes['/inputs/']}${file}`, (name) => {
      const there = scratch.read(root, name)
      return there === undefined || Buffer.compare(there, bytes) === 0
    })
    scratch.write(root, path, bytes)
    return formatInputNote({ path, about, detail })
  })
  return notes.join('')
}

/** The name itself, or with the first number that makes it free: `data-2.csv`. */
function freeName(path: string, isFree: (name: string) => boolean): string {
  const dot = path.lastIndexOf('.')
  const cut = dot > path.lastIndexOf('/') + 1 ? dot : path.length
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path.slice(0, cut)}-${number}${path.slice(cut)}`
    if (isFree(name)) return name
  }
}
