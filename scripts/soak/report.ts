import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { Part } from './part.ts'
import { type PartState, type SoakState, stateOf } from './state.ts'

/** The machine in one line, as it stands in every report. */
export function machineLine(commit: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB memory`
  const system = `${platform()} ${release()} ${arch()}`
  return `${model}, ${cpus().length} cores, ${memory}, Node ${process.versions.node}, ${system}, commit ${commit}`
}

const heads = ['part', 'done', 'goal', 'unit', 'seeds', 'failures', 'time']

function cellsOf(part: Part, state: SoakState): readonly string[] {
  const own = stateOf(state, part)
  const seeds = own.chunks === 0 ? '–' : seedRange(state.seed, own)
  const counts = [own.done, part.goal].map((count) => count.toLocaleString('en'))
  return [part.name, ...counts, part.unit, seeds, String(own.failures.length), shownTime(own.seconds)]
}

function seedRange(first: number, { nextSeed }: PartState): string {
  return nextSeed - 1 === first ? String(first) : `${first}–${nextSeed - 1}`
}

/** Seconds as `1 h 02 min`, `3 min 04 s` or `5 s`. */
export function shownTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'no end'
  const whole = Math.round(seconds)
  const two = (number: number) => String(number).padStart(2, '0')
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${two(whole % 60)} s` : `${whole} s`
}

/** Parts that cannot run here, with the reason. */
export type Absent = ReadonlyMap<string, string>

/** The report for a terminal. */
export function textReport(state: SoakState, parts: readonly Part[], absent: Absent, machine: string): string {
  const rows = [heads, ...parts.map((part) => cellsOf(part, state))]
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [
    `Soak with seed ${state.seed}, ${state.startedAt} to ${state.updatedAt}`,
    machine,
    '',
    ...table,
    ...notes(state, parts, absent, (line) => line),
    '',
  ].join('\n')
}

/** The same as a piece of Markdown. */
export function markdownReport(state: SoakState, parts: readonly Part[], absent: Absent, machine: string): string {
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    `Soak with seed ${state.seed}, ${state.startedAt} to ${state.updatedAt}, on ${machine}.`,
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...parts.map((part) => row(cellsOf(part, state))),
    ...notes(state, parts, absent, (line) => `- ${line}`),
    '',
  ].join('\n')
}

function notes(
  state: SoakState,
  parts: readonly Part[],
  absent: Absent,
  shown: (line: string) => string,
): readonly string[] {
  const missing = [...absent].map(([name, why]) => shown(`${name} did not run: ${why}`))
  const failed = parts.flatMap(({ name }) =>
    (state.parts[name]?.failures ?? []).map(({ seed, at, commit, what, replay }) => {
      const [first = ''] = what.split('\n')
      return shown(`${name} failed with seed ${seed} (${at}, commit ${commit}): ${first} Run it again: ${replay}`)
    }),
  )
  const lines = [...missing, ...failed]
  return lines.length > 0 ? ['', ...lines] : []
}
