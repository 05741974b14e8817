import { isJsonObject, type JsonValue } from '#shared/base/json.ts'
import { isExternalCall, ruledBy } from '#shared/tools/tool-facts.ts'
import { isShortened } from '../external/external-calls.ts'
import { type CallQuestion, type StagesSaid, strictness } from './stage.ts'

/** Files of one call about which stages are asked. */
const mostFiles = 20

/**
 * The call of an external agent as stages know it: as one of ours that does the same, for each of its files, with what its own
 * tool was given beside that. Any other call as it is.
 */
export function asOurs(call: CallQuestion): readonly CallQuestion[] {
  if (!isExternalCall(call.tool.name)) return [call]
  const { title: _title, outside: _outside, paths: _paths, input, ...given } = call.args
  const own = { ...call, tool: { ...call.tool, ...ruledBy(call.tool.name) } }
  const args = { ...(isJsonObject(input) && input), ...given }
  const files = filesOf(call).slice(0, mostFiles)
  if (files.length === 0) return [{ ...own, args }]
  return files.map((file) => ({ ...own, args: { ...args, file_path: file } }))
}

/** What stages said about all files of a call: the strictest holds, and one file that they allow is not all of them. */
export function joinSaid(call: CallQuestion, all: readonly (StagesSaid | null)[]): StagesSaid | null {
  const [first, ...more] = all.filter((one) => one !== null)
  if (first === undefined) return null
  const untold = untoldOf(call)
  const isWhole = more.length + 1 === all.length && untold === undefined
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
  if (untold === undefined || verdict?.kind === 'refuse') return { ...joined, verdict }
  return { ...joined, verdict: { kind: 'ask', by: 'hooks', reason: untold } }
}

/** The files of a call: those of the project as written and as links lead, and those outside of it. */
function filesOf({ args: { paths, outside }, reached }: CallQuestion): readonly JsonValue[] {
  const listed = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
  return [...new Set([...listed(paths), ...(reached ?? []), ...listed(outside)])]
}

/** Why a person looks at a call of which hooks were not told all. */
function untoldOf(call: CallQuestion): string | undefined {
  if (!isExternalCall(call.tool.name)) return undefined
  if (filesOf(call).length > mostFiles)
    return `it names more than ${mostFiles} files, and hooks were asked about the first ones`
  return isShortened(call.args.input) ? 'it was given more than hooks were told' : undefined
}

/** Something is allowed only where both allow it. */
function stricter(one: StagesSaid['verdict'], other: StagesSaid['verdict']): StagesSaid['verdict'] {
  if (one === null || other === null) {
    const only = one ?? other
    return only?.kind === 'allow' ? null : only
  }
  return strictness[other.kind] > strictness[one.kind] ? other : one
}
