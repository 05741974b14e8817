import type { Call } from '../../../e2e/model-server/scenario.ts'
import { pathOf } from '../support/project-text.ts'
import type { Calls } from './agent.ts'

/** Reads a file of a generated project, and edits one line of it again and again. */
export function editsOf(calls: Calls, file: number, count: number): readonly Call[] {
  const name = (edit: number) => (edit === 0 ? '_1 = ' : `_1_edited_${edit} = `)
  const edits = Array.from({ length: count }, (_, index) => calls.edit(pathOf(file), name(index), name(index + 1)))
  return [calls.read(pathOf(file)), ...edits]
}

/** The shortest commands there are. The first one is not measured: it may find things out for the others. */
export function commandsOf(calls: Calls, count: number): readonly Call[] {
  return Array.from({ length: count + 1 }, (_, index) => calls.command(`echo ${index}`))
}
