import type { JsonObject } from '#shared/base/json.ts'
import { type ToolResult, textOf } from '#shared/model/message.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { formatDuration } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { describeCall, errorIn, firstLine } from '#shared/tools/tool-labels.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { countSpans, type ShownLine } from './shown-line.ts'

/** A call that has ended. */
export interface EndedCall {
  readonly agent: string
  readonly name: string
  readonly input: JsonObject
  readonly result: ToolResult
  readonly durationMs: number
  /** Lines that it changed; null when it changed none or they were not counted. */
  readonly counts: { readonly added: number | null; readonly removed: number | null } | null
  /** The agent's name for a handle. */
  readonly nameOf: (handle: string) => string
}

/** Shorter calls are not worth a time. */
const slowMs = 1000

/** What a call did, in one line: `Edited /src/total.js  +2 −1`. A second line says why it failed. */
export function callLines(call: EndedCall): readonly ShownLine[] {
  const { agent, name, input, result, nameOf } = call
  const { verb, object } = describeCall(name, input, nameOf)
  const failed = result.outcome !== 'ok'
  const line: Line = [
    { text: verb },
    ...(object === '' ? [] : [{ text: ' ' }, { text: object, tone: 'strong' as const }]),
    ...detailsOf(call).flatMap((detail) => [{ text: '  ' }, ...detail]),
  ]
  const said: ShownLine = { agent, line, kind: failed ? 'failed' : 'call' }
  const reason = failed ? reasonOf(name, result) : ''
  return reason === '' ? [said] : [said, { agent, line: lineOf(`  ${reason}`, 'dim'), kind: 'note' }]
}

function detailsOf({ name, result, durationMs, counts }: EndedCall): readonly Line[] {
  const end = name === 'execute' ? commandEnd(result) : null
  const time = durationMs >= slowMs || end !== null ? formatDuration(durationMs) : null
  return [
    countSpans(counts),
    end === null ? [] : lineOf(end, result.outcome === 'ok' ? 'dim' : 'bad'),
    time === null ? [] : lineOf(time, 'dim'),
    name === 'merge_subagent' ? lineOf(conflictsIn(result), 'warn') : [],
    result.outcome === 'rejected' || result.outcome === 'cancelled' ? lineOf(result.outcome, 'warn') : [],
  ].filter((line) => line.some(({ text }) => text !== ''))
}

/** `exit 1`, or how the command was ended. Null for one that goes on in the background. */
function commandEnd(result: ToolResult): string | null {
  const end = textOf(result.content)
    .split('\n')
    .findLast((line) => /^(Exit code \d+|Ended by signal \w+|Timed out)/.test(line))
  const [, code] = /^Exit code (\d+)/.exec(end ?? '') ?? []
  if (code !== undefined) return `exit ${code}`
  return end === undefined ? null : (end.split(/[.;]/, 1)[0] ?? null)
}

function conflictsIn(result: ToolResult): string {
  try {
    const { conflicts }: { conflicts?: unknown } = JSON.parse(textOf(result.content))
    return Array.isArray(conflicts) && conflicts.length > 0 ? plural(conflicts.length, 'conflict', 'conflicts') : ''
  } catch {
    return ''
  }
}

const longestReason = 300

/** Why a call failed, in one line. A command's output comes before its exit code, which the line above has. */
function reasonOf(name: string, { content }: ToolResult): string {
  const said = textOf(content)
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Exit code '))
  return (errorIn(said) ?? (name === 'execute' ? lines.at(-1) : firstLine(said)) ?? '').trim().slice(0, longestReason)
}

/** Arguments and results as they are, for `--verbose`. */
export function rawLines(agent: string, title: string, value: unknown): readonly ShownLine[] {
  const text = typeof value === 'string' ? value : printableJson(value)
  return [{ agent, line: lineOf(`  ${title} ${text}`, 'dim'), kind: 'note' }]
}

/** True for calls that other lines already tell: agents that start, and todos. */
export function isToldElsewhere(name: string): boolean {
  const { effect } = findToolFacts(name)
  return effect === 'agents' || name === 'write_todos' || name === 'update_todo_status'
}
