import type { FileBlame, LineSource } from '#shared/contract/views/files.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { type Line, lineOf, widthOf } from './screen/spans.ts'
import { answerAboutThread, findAnyBranch } from './thread-verb.ts'

/** `coppice blame`: each line of a file with who wrote it, in which call. */
export function blame(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async ({ client, project, projectId, thread }) => {
    const [, word] = line.positionals
    if (word === undefined)
      throw new UsageError('blame needs a thread and a path, such as "coppice blame last src/a.ts".')
    const path = parseVirtualPath(word.startsWith('/') ? word : `/${word}`)
    if (!path.ok) throw new UsageError(`blame: ${word}: ${path.error.message}`)
    const named = line.text('branch')
    const branchId = named === undefined ? thread.branchId : findAnyBranch(project.services.log.state, thread, named)
    const found = await client.changes.blame({ projectId, branchId, path: path.value })
    return { value: { threadId: thread.id, branchId, path: path.value, ...found }, lines: linesOf(found) }
  })
}

/** The words before each line are as wide as the widest, and said once for lines that belong together. */
function linesOf({ lines, sources }: FileBlame): readonly Line[] {
  const words = sources.map(wordsOf)
  const widest = Math.max(0, ...words.map(widthOf))
  const digits = String(lines.length).length
  return lines.map(({ text, source }, index): Line => {
    const isSame = index > 0 && lines[index - 1]?.source === source
    const said = source === null || isSame ? '' : (words[source] ?? '')
    const place = String(index + 1).padStart(digits)
    const mark = source === null ? ' ' : '│'
    return [
      { text: said + ' '.repeat(widest - widthOf(said) + 1), tone: source === null ? 'dim' : source + 1 },
      { text: `${mark} ${place} `, tone: 'dim' },
      ...lineOf(text.replace(/\r?\n$/, '')),
    ]
  })
}

function wordsOf({ agent, handle, tool, how, decision }: LineSource): string {
  return [agent, handle, tool ?? how, decision === null ? null : decided[decision]]
    .filter((word) => word !== null)
    .join(' ')
}

const decided: Readonly<Record<NonNullable<LineSource['decision']>, string>> = {
  ...{ approve: 'approved', edit: 'edited', reject: 'rejected', respond: 'answered' },
  ...{ run_again: 'run again', mark_done: 'marked done', skip: 'skipped' },
}
