import { isJsonObject } from '#shared/base/json.ts'
import { isExternalCall, ruledBy } from '#shared/tools/tool-facts.ts'
import type { CallQuestion, StagesSaid } from './stage.ts'

/** Files of one call about which stages are asked. */
const mostFiles = 20

/**
 * The call of an external agent as stages know it: as one of ours that does the same, for each of its files, with what its own
 * tool was given beside that. Any other call as it is.
 */
export function asOurs(call: CallQuestion): readonly CallQuestion[] {
  if (!isExternalCall(call.tool.name)) return [call]
  const { title: _title, outside: _outside, paths, input, ...given } = call.args
  const own = { ...call, tool: { ...call.tool, ...ruledBy(call.tool.name) } }
  const args = { ...(isJsonObject(input) && input), ...given }
  const files = Array.isArray(paths) ? paths.slice(0, mostFiles) : []
  if (files.length === 0) return [{ ...own, args }]
  return files.map((file) => ({ ...own, args: { ...args, file_path: file } }))
}

const order = { refuse: 2, ask: 1, allow: 0 } as const

/** What stages said about all files of a call: the strictest holds, and one file that they allow is not all of them. */
export function joinSaid(call: CallQuestion, all: readonly (StagesSaid | null)[]): StagesSaid | null {
  const [first, ...more] = all.filter((one) => one !== null)
  if (first === undefined) return null
  const isWhole = more.length + 1 === all.length && !isLong(call)
  const joined = more.reduce(
    (said, one): StagesSaid => ({
      notes: [...said.notes, ...one.notes],
      verdict: all.length > 1 ? stricter(said.verdict, one.verdict) : said.verdict,
      input: said.input ?? one.input,
      content: null,
      add: [...said.add, ...one.add],
      stop: said.stop ?? one.stop,
    }),
    first,
  )
  const verdict = joined.verdict?.kind === 'allow' && !isWhole ? null : joined.verdict
  if (!isLong(call) || verdict?.kind === 'refuse') return { ...joined, verdict }
  const reason = `it names more than ${mostFiles} files, and hooks were asked about the first ones`
  return { ...joined, verdict: { kind: 'ask', by: 'hooks', reason } }
}

function isLong({ args: { paths }, tool }: CallQuestion): boolean {
  return isExternalCall(tool.name) && Array.isArray(paths) && paths.length > mostFiles
}

/** Something is allowed only where both allow it. */
function stricter(one: StagesSaid['verdict'], other: StagesSaid['verdict']): StagesSaid['verdict'] {
  if (one === null || other === null) {
    const only = one ?? other
    return only?.kind === 'allow' ? null : only
  }
  return order[other.kind] > order[one.kind] ? other : one
}
