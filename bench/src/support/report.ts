import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { isQuick } from './flags.ts'
import type { Sample } from './measure.ts'

export type Unit = 'ms' | 'MB' | 'KB' | '×' | '%' | 'watches' | 'programs'

/** Met if the median of Coppice is at most `limit`, in the row's unit. */
export interface Goal {
  readonly text: string
  readonly limit: number
}

export interface Row {
  readonly operation: string
  readonly unit: Unit
  readonly coppice: Sample
  /** `sample` is null if this machine cannot run the peer. */
  readonly peer?: { readonly name: string; readonly sample: Sample | null }
  readonly goal?: Goal
}

/** A peer, with the goal that Coppice takes at most `factor` times as much. */
export function versus(name: string, sample: Sample, factor?: number): Pick<Row, 'peer' | 'goal'> {
  const peer = { name, sample }
  return factor === undefined ? { peer } : { peer, goal: { text: `≤ ${factor} ×`, limit: factor * sample.median } }
}

/** Shortens a count for an operation's name: 20,000 becomes `20k`. */
export function shortCount(count: number): string {
  return count < 1_000 ? String(count) : `${count / 1_000}k`
}

const resultsFolder = join(import.meta.dirname, '../../results')

/**
 * Prints the table of an area or of one part. Keeps its figures in `bench/results` beside those of the other parts,
 * except after a quick look.
 */
export function report(area: string, rows: readonly Row[], part = area): void {
  process.stdout.write(`\n${part}\n${table([headings, ...rows.map(cellsOf)])}\n`)
  if (isQuick) return
  mkdirSync(resultsFolder, { recursive: true })
  const machine = { node: process.version, platform: process.platform, cores: availableParallelism() }
  const date = new Date().toISOString()
  const measured = rows.map((row) => ({ part, date, ...row, ratio: ratioOf(row), met: isMet(row) }))
  const file = join(resultsFolder, `${area}.json`)
  const results = {
    area,
    ...machine,
    processor: cpus()[0]?.model ?? 'unknown',
    rows: [...rowsOfOtherParts(file, part), ...measured],
  }
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`)
}

function rowsOfOtherParts(file: string, part: string): readonly { readonly part?: string }[] {
  if (!existsSync(file)) return []
  const { rows }: { readonly rows: readonly { readonly part?: string }[] } = JSON.parse(readFileSync(file, 'utf8'))
  return rows.filter((row) => row.part !== undefined && row.part !== part)
}

const headings = ['operation', 'Coppice', 'peer', 'ratio', 'goal', 'met']

function cellsOf(row: Row): readonly string[] {
  const met = isMet(row)
  return [
    row.operation,
    shown(row.coppice, row.unit),
    row.peer ? `${row.peer.name}: ${row.peer.sample ? shown(row.peer.sample, row.unit) : 'not measured'}` : '',
    ratioText(ratioOf(row)),
    row.goal?.text ?? '',
    met === null ? '' : met ? 'yes' : 'NO',
  ]
}

function isMet({ goal, coppice }: Row): boolean | null {
  return goal && !Number.isNaN(goal.limit) ? coppice.median <= goal.limit : null
}

/** Coppice divided by its peer. Below one, Coppice is better. */
function ratioOf({ coppice, peer }: Row): number | null {
  return peer?.sample ? coppice.median / peer.sample.median : null
}

function ratioText(ratio: number | null): string {
  if (ratio === null) return ''
  return ratio < 0.1 ? `1 : ${Math.round(1 / ratio).toLocaleString('en')}` : `${ratio.toFixed(2)} ×`
}

function shown({ median, low, high }: Sample, unit: Unit): string {
  const spread = low === high ? '' : ` (${short(low)}–${short(high)})`
  return `${short(median)} ${unit}${spread}`
}

function short(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(3)
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(' · ')
        .trimEnd(),
    )
    .join('\n')
}
