import { setTimeout as delay } from 'node:timers/promises'
import { checkDataFolder } from '#host/storage/data-folder.ts'
import { findJournal, type StoredJournal } from '#host/threads/stored-threads.ts'
import { numberAgents } from '#shared/model/derived/agent-hues.ts'
import type { Entry } from '#shared/model/entry.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import { emptyProject, familyOf, type ProjectState } from '#shared/model/project-state.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { answerVerb } from '../answer-verb.ts'
import { dataFolderFor } from '../app-paths.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { createEventLines } from '../follow/event-lines.ts'
import { createLayout } from '../follow/lay-out.ts'
import { printLeftOut } from '../print-status.ts'
import { createPaint } from '../screen/paint.ts'
import { readScreen } from '../screen/screen.ts'

/** Milliseconds between two looks at a journal that another process writes. */
const pace = 300

/** `coppice logs`: what the agents of a thread did, from the stored journal. Takes no lock. */
export function logs(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const [word] = line.positionals
    if (word === undefined) throw new UsageError('logs needs a thread. "coppice threads" lists them.')
    const dataFolder = dataFolderFor(line.text('data-dir'), process.env)
    checkDataFolder(dataFolder)
    return { value: null, lines: [], code: await printJournal(line, findJournal(dataFolder, word)) }
  })
}

async function printJournal(line: CommandLine, journal: StoredJournal): Promise<number> {
  using stopping = stopAtSignals()
  printLeftOut(journal.leftOut)
  if (!line.flag('follow')) requireAgents(line.texts('agent'), journal)
  const print = createPrint(line, journal)
  for (;;) {
    // Asked before the entries are read, so that nothing is missed at the end.
    const wasOpen = journal.isOpen()
    const isWorking = await print(stopping.signal)
    if (stopping.signal.aborted) return stopping.code()
    if (!line.flag('follow') || !wasOpen || !isWorking) return exitCodes.done
    await delay(pace, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
}

/** Throws `UsageError` for an agent that the thread does not have. One that is followed may start later. */
function requireAgents(wanted: readonly string[], { threadId, entries }: StoredJournal): void {
  if (wanted.length === 0) return
  const family = familyOf(entries(0).reduce(createReplay(), emptyProject), threadId)
  const names = [...new Set(family.map(({ agent }) => agent))]
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`--agent: no agent of this thread is called ${unknown}. Its agents: ${names.join(', ')}.`)
}

/** Prints the entries that are new. Resolves to whether an agent of the thread works. */
function createPrint(line: CommandLine, { threadId, entries }: StoredJournal) {
  const screen = readScreen(process.stdout, process.env)
  const paint = createPaint(screen.colourDepth)
  const wanted = line.texts('agent')
  const replay = createReplay()
  let state: ProjectState = emptyProject
  const family = () => familyOf(state, threadId)
  const layout = createLayout(
    screen,
    (agent) => numberAgents(family()).get(agent) ?? null,
    () => family().map(({ agent }) => agent),
  )
  const linesOf = createEventLines({
    state: () => state,
    isVerbose: line.flag('verbose'),
    hasMarks: screen.hasMarks,
    texts: 'all',
    namesWaiting: () => true,
  })
  const textOf = async (entry: Entry): Promise<string> => {
    if (line.flag('json')) return `${printableJson(entry)}\n`
    const shown = (await linesOf(entry)).filter(({ agent }) => wanted.length === 0 || wanted.includes(agent ?? ''))
    return shown
      .flatMap((one) => layout.lay(one))
      .map((row) => `${paint(row).trimEnd()}\n`)
      .join('')
  }
  return async (signal: AbortSignal): Promise<boolean> => {
    for (const entry of entries(state.sequence)) {
      state = replay(state, entry)
      const isOurs = familyOf(state, threadId).some(({ id }) => id === entry.threadId)
      if (isOurs) process.stdout.write(await textOf(entry))
      if (signal.aborted) break
    }
    return familyOf(state, threadId).some(({ status }) => status === 'working')
  }
}

/** Ctrl+C, or a reader that went away. */
function stopAtSignals(): Disposable & { readonly signal: AbortSignal; readonly code: () => number } {
  const stopping = new AbortController()
  let code: number = exitCodes.done
  const onInterrupt = (): void => {
    code = exitCodes.stopped
    stopping.abort()
  }
  const onEnd = (): void => stopping.abort()
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onEnd)
  return {
    signal: stopping.signal,
    code: () => code,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onEnd)
    },
  }
}
