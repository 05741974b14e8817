import { readdirSync, readFileSync } from 'node:fs'

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  /** Ticks of the processor, with those of ended children that it has waited for. */
  readonly ticks: number
}

/** Linux counts the processor in hundredths of a second for everybody. */
const millisecondsPerTick = 10

/** Milliseconds of the processor that a process, those it started, and those that have ended took so far. */
export function processorOf(pid: number): number {
  return treeOf(pid).reduce((sum, { ticks }) => sum + ticks, 0) * millisecondsPerTick
}

/** The most megabytes that these processes and those they started held at once, looked at ten times a second. What they share is counted once. */
export function watchMemory(pids: readonly number[]): { readonly peakMb: () => number } & Disposable {
  let peak = 0
  const look = () => {
    const rows = pids.flatMap(treeOf)
    peak = Math.max(
      peak,
      rows.reduce((sum, { pid }) => sum + sharedOut(pid), 0),
    )
  }
  const timer = setInterval(look, 100)
  return { peakMb: () => peak, [Symbol.dispose]: () => clearInterval(timer) }
}

function treeOf(root: number): readonly ProcessRow[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowsOf(Number(name)) : []))
  const inside = new Set([root])
  for (let size = 0; size !== inside.size; ) {
    size = inside.size
    for (const { pid, parent } of all) if (inside.has(parent)) inside.add(pid)
  }
  return all.filter(({ pid }) => inside.has(pid))
}

/** None if the process has just ended. */
function rowsOf(pid: number): readonly ProcessRow[] {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return []
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return [{ pid, parent: Number(fields[1]), ticks }]
}

function sharedOut(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
