import { checkDataFolder } from '#host/storage/data-folder.ts'
import { findJournal, listAllThreads } from '#host/threads/stored-threads.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { answerVerb } from '../answer-verb.ts'
import { dataFolderFor } from '../app-paths.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Completion, completeWords, type Proposal } from '../grammar/complete.ts'
import { completionScripts, shells } from '../grammar/completion-scripts.ts'
import { branchesOf } from '../thread-verb.ts'

/** `coppice completion`: prints the script for a shell. */
export function completion(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const shell = shells.find((one) => one === line.positionals[0])
    if (!shell) throw new UsageError(`completion takes ${shells.join(', ')}.`)
    process.stdout.write(completionScripts[shell])
    return { value: null, lines: [] }
  })
}

/** Answers the scripts of `coppice completion`: prints what fits the last of the words, and never an error. */
export function complete(words: readonly string[]): number {
  const found = completeWords(words)
  const typed = words.at(-1) ?? ''
  for (const { word, about } of [...found.proposals, ...lookUp(found, typed)])
    process.stdout.write(`${word}\t${oneLine(about)}\n`)
  if (found.wanted === 'file' || found.wanted === 'folder') process.stdout.write(`:${found.wanted}\n`)
  return exitCodes.done
}

/** Threads, branches and checkpoints that begin with what is typed. Nothing when the data cannot be read. */
function lookUp({ wanted, positionals, dataFolder }: Completion, typed: string): readonly Proposal[] {
  try {
    const folder = dataFolderFor(dataFolder ?? undefined, process.env)
    checkDataFolder(folder)
    const found = proposalsFor(folder, wanted, positionals[0] ?? 'last')
    return found.filter(({ word }) => word.startsWith(typed) && /^[\w.:-]+$/.test(word))
  } catch {
    return []
  }
}

const mostThreads = 40

function proposalsFor(folder: string, wanted: Completion['wanted'], thread: string): readonly Proposal[] {
  switch (wanted) {
    case 'thread':
      return listAllThreads(folder)
        .threads.slice(0, mostThreads)
        .map(({ threadId, title, status }) => ({ word: threadId.slice(0, 8), about: `${status}: ${title}` }))
    case 'branch': {
      const { threadId, state } = readThread(folder, thread)
      return branchesOf(state, threadId).flatMap(({ handle, name }) => [
        ...(handle === null ? [] : [{ word: handle as string, about: name }]),
        { word: name, about: handle ?? '' },
      ])
    }
    case 'checkpoint': {
      const { threadId, state } = readThread(folder, thread)
      const past = state.past.threads.get(threadId)
      const rows = past ? checkpointRows(past).filter(({ main }) => main) : []
      return rows.map(({ to, mark }) => ({ word: String(to), about: mark.kind.replaceAll('_', ' ') }))
    }
    default:
      return []
  }
}

function readThread(folder: string, word: string) {
  const { threadId, state } = findJournal(folder, word)
  return { threadId, state: state() }
}
