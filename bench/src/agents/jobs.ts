import type { ApiRequest, Call } from '../../../e2e/model-server/scenario.ts'
import { pathOf } from '../support/project-text.ts'
import type { Calls } from './agent.ts'

/** Reads a file of a generated project, and edits one line of it again and again. */
export function editsOf(calls: Calls, file: number, count: number): readonly Call[] {
  const edits = Array.from({ length: count }, (_, index) =>
    calls.edit(pathOf(file), nameAfter(index), nameAfter(index + 1)),
  )
  return [calls.read(pathOf(file)), ...edits]
}

/** It ends with a sign, because some agents cut blanks off the end of what they write. */
function nameAfter(edits: number): string {
  return edits === 0 ? '_1 =' : `_1_edited_${edits} =`
}

/** Throws if the model was told that a call failed, for that takes another time than the call. */
export function expectNoFailure(agent: string, requests: readonly ApiRequest[]): void {
  for (const { content } of requests.flatMap(({ messages }) => messages))
    for (const block of typeof content === 'string' ? [] : content)
      if (block.type === 'tool_result' && block.is_error)
        throw new Error(`A call of ${agent} failed: ${JSON.stringify(block.content).slice(0, 300)}`)
}

/** The shortest commands there are. The first one is not measured: it may find things out for the others. */
export function commandsOf(calls: Calls, count: number): readonly Call[] {
  return Array.from({ length: count + 1 }, (_, index) => calls.command(`echo ${index}`))
}
