import { checkDataFolder } from '#host/storage/data-folder.ts'
import { listAllThreads, type StoredThread } from '#host/threads/stored-threads.ts'
import { formatAgo } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { answerVerb } from '../answer-verb.ts'
import { dataFolderFor } from '../app-paths.ts'
import type { CommandLine } from '../arguments.ts'
import { printLeftOut } from '../print-status.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'

/** `coppice threads`: only reads stored journals, so it works while a window has a project open. */
export function threads(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const dataFolder = dataFolderFor(line.text('data-dir'), process.env)
    checkDataFolder(dataFolder)
    const { threads: found, leftOut } = listAllThreads(dataFolder)
    printLeftOut(leftOut)
    const lines = found.length === 0 && leftOut.length > 0 ? [] : linesOf(found, Date.now())
    return { value: found, lines }
  })
}

const looks: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  idle: ['idle', 'dim'],
  queued: ['queued', 'dim'],
  working: ['working', 'accent'],
  needs_you: ['needs you', 'warn'],
  paused: ['paused', 'warn'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  stopped: ['stopped', 'dim'],
}

function linesOf(found: readonly StoredThread[], now: number): readonly Line[] {
  if (found.length === 0) return [lineOf('No threads yet. Start one with: coppice run FOLDER --task "…"', 'dim')]
  return tableLines(
    ['THREAD', 'STATE', 'AGE', 'TITLE', 'FOLDER'],
    found.map(({ threadId, status, updatedAt, title, project, pendingApprovals }) => {
      const [word, tone] = looks[status] ?? [status, 'plain']
      const waits = pendingApprovals === 0 ? '' : ` (${plural(pendingApprovals, 'call waits', 'calls wait')})`
      return [
        lineOf(threadId.slice(0, 8), 'accent'),
        lineOf(`${word}${waits}`, tone),
        lineOf(formatAgo(updatedAt, now), 'dim'),
        lineOf(shorten(title)),
        lineOf(project, 'dim'),
      ]
    }),
  )
}

const longestTitle = 48

function shorten(title: string): string {
  const [first = ''] = title.trim().split('\n', 1)
  return first.length > longestTitle || first !== title.trim() ? `${first.slice(0, longestTitle - 1)}…` : first
}
