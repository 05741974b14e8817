import type { DiffHunk } from '#shared/contract/views/files.ts'
import type { Moved, MovedLines } from '../../ui/diff/moved-lines.ts'

/**
 * Blocks of lines that were removed in one file of a review and added in another. It knows the files that were read so
 * far, so a mark may appear when the other file is read. Indentation and blank lines do not count.
 */
export interface MovedBetween {
  /** Replaces what is known of a file. `key` identifies the version of the file, which is read once. */
  add(path: string, key: string, hunks: readonly DiffHunk[]): void
  /** The moved lines of a file. Each names the file on the other side. Another function once there may be more. */
  of(path: string): MovedLines
  subscribe(listener: () => void): () => void
}

/** Shorter blocks are often equal by chance. */
const least = { lines: 4, characters: 40 }
/** Changed lines. A file with more is left out, and once all files have more, so is every further one. */
const most = { inFile: 5000, inAll: 100_000 }
/** How many equal blocks are tried as the other end. */
const mostTries = 12

type Side = 'added' | 'removed'
interface Line {
  readonly number: number
  readonly text: string
}
/** Lines of one side that follow each other. */
type Run = readonly Line[]
interface File {
  readonly path: string
  readonly key: string
  readonly lines: number
  readonly runs: Readonly<Record<Side, readonly Run[]>>
}
/** A place where a block of the least length begins. */
interface Start {
  readonly file: File
  readonly run: Run
  readonly at: number
}

export function createMovedBetween(): MovedBetween {
  const files = new Map<string, File>()
  const starts: Readonly<Record<Side, Map<string, Start[]>>> = { added: new Map(), removed: new Map() }
  const found = new Map<string, MovedLines>()
  const listeners = new Set<() => void>()
  let lines = 0

  const isCurrent = ({ file }: Start): boolean => files.get(file.path) === file
  const othersOf = (path: string, side: Side, block: string): readonly Start[] =>
    (starts[side].get(block) ?? []).filter((start) => start.file.path !== path && isCurrent(start))

  /** Returns the files that hold a block of this one. */
  function enter(file: File): ReadonlySet<string> {
    const matching = new Set<string>()
    for (const side of sides) {
      for (const { block, start } of blocksOf(file, side)) {
        for (const other of othersOf(file.path, otherSide(side), block)) matching.add(other.file.path)
        const known = starts[side].get(block)?.filter(isCurrent) ?? []
        starts[side].set(block, [...known, start].slice(0, mostTries))
      }
    }
    return matching
  }

  function search(file: File): MovedLines {
    const moved: Record<Side, Map<number, Moved>> = { added: new Map(), removed: new Map() }
    for (const side of sides) {
      for (const run of file.runs[side]) {
        for (let at = 0; at + least.lines <= run.length; ) {
          const end = longestEnd(run, at, othersOf(file.path, otherSide(side), blockAt(run, at)))
          for (let step = 0; step < (end?.length ?? 0); step++) {
            const [own, there] = [run[at + step], end?.run[end.at + step]]
            if (own && there && end) {
              moved[side].set(own.number, { line: there.number, first: step === 0, path: end.file.path })
            }
          }
          at += Math.max(end?.length ?? 0, 1)
        }
      }
    }
    if (moved.added.size + moved.removed.size === 0) return none
    return ({ kind, old, new: fresh }) => {
      if (kind === 'removed' && old !== null) return moved.removed.get(old) ?? null
      return kind === 'added' && fresh !== null ? (moved.added.get(fresh) ?? null) : null
    }
  }

  return {
    add(path, key, hunks) {
      const before = files.get(path)
      if (before?.key === key) return
      const file = readFile(path, key, hunks)
      lines += file.lines - (before?.lines ?? 0)
      if (lines > most.inAll) {
        lines -= file.lines
        files.delete(path)
      } else files.set(path, file)
      const matching = files.has(path) ? enter(file) : new Set<string>()
      // Lines that matched the version before may stand in any file.
      if (before) found.clear()
      else for (const other of [path, ...matching]) found.delete(other)
      if (before || matching.size > 0) for (const listener of listeners) listener()
    },
    of(path) {
      const file = files.get(path)
      if (!file) return none
      const known = found.get(path) ?? search(file)
      found.set(path, known)
      return known
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const none: MovedLines = () => null
const sides: readonly Side[] = ['added', 'removed']

function otherSide(side: Side): Side {
  return side === 'added' ? 'removed' : 'added'
}

function readFile(path: string, key: string, hunks: readonly DiffHunk[]): File {
  const runs: Record<Side, Line[][]> = { added: [], removed: [] }
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  if (lines > most.inFile) return { path, key, lines: 0, runs }
  for (const hunk of hunks) {
    const next = { added: hunk.newStart, removed: hunk.oldStart }
    const open: Record<Side, Line[] | null> = { added: null, removed: null }
    for (const line of hunk.lines) {
      const side = line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : null
      if (side === null) {
        open.added = null
        open.removed = null
        if (line[0] === ' ') {
          next.added += 1
          next.removed += 1
        }
        continue
      }
      const run = open[side] ?? []
      if (open[side] === null) runs[side].push(run)
      open[side] = run
      const text = line.slice(1).trim()
      if (text !== '') run.push({ number: next[side], text })
      next[side] += 1
    }
  }
  return { path, key, lines, runs }
}

function blockAt(run: Run, at: number): string {
  let block = ''
  for (let step = 0; step < least.lines; step++) block += `${run[at + step]?.text}\n`
  return block
}

function* blocksOf(file: File, side: Side): Iterable<{ readonly block: string; readonly start: Start }> {
  for (const run of file.runs[side]) {
    for (let at = 0; at + least.lines <= run.length; at++) {
      const block = blockAt(run, at)
      if (block.length >= least.characters) yield { block, start: { file, run, at } }
    }
  }
}

/** The longest block that begins at both places; null if there is none. */
function longestEnd(run: Run, from: number, others: readonly Start[]): (Start & { readonly length: number }) | null {
  let best: (Start & { readonly length: number }) | null = null
  for (const other of others) {
    let length = 0
    while (run[from + length] && run[from + length]?.text === other.run[other.at + length]?.text) length += 1
    if (length > (best?.length ?? 0)) best = { ...other, length }
  }
  return best
}
