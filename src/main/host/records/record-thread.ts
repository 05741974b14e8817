import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { readThread } from '#core/journal/read-thread.ts'
import { createLineMaker, recordHeader } from '#core/records/export-record.ts'
import { type RecordHeader, writeRecordLine } from '#core/records/record-format.ts'
import { isLive } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import { readGitCommit } from '../project/git-head.ts'
import type { Project } from '../project/project.ts'
import { findResultProblem } from '../storage/write-result.ts'

export interface RecordOptions {
  /** Of the app. */
  readonly version: string
  /** True to leave what looks like a secret in the record. */
  readonly withSecrets: boolean
}

/** The record of a stored thread, with its subagents, and the number of lines in which secrets were replaced. */
export async function exportRecord(
  project: Project,
  threadId: ThreadId,
  options: RecordOptions,
): Promise<{ readonly text: string; readonly replaced: number }> {
  const { services } = project
  const root = services.log.rootOf(threadId) ?? threadId
  const window = await services.contextWindow(readThread(services.log, root)?.model ?? '')
  const maker = createLineMaker(services, root, options.withSecrets)
  const lines = [headerOf(project, root, window, options), ...maker.stored()]
  return { text: lines.map(writeRecordLine).join(''), replaced: maker.replaced() }
}

/** The file of a run that is recorded while it goes on. */
export interface Recording extends Disposable {
  /** Writes the thread as it is, and from now on each thing that happens. Call right after the run began. */
  start(threadId: ThreadId): void
  /** Ends the record. Returns sentences about it for a person. */
  finish(): readonly string[]
}

/** Why no record can be written to a file, as a sentence; null when one can. */
export function findRecordProblem(file: string, rootFolder: string | null): string | null {
  const problem = findResultProblem(file, rootFolder)
  if (problem !== null) return problem
  const there = statSync(file, { throwIfNoEntry: false })
  return there?.isFile() && there.size > 0
    ? `${file} exists already. A record is never written over something else: name another file, or delete it first.`
    : null
}

/**
 * Opens the file of a record. Each line is written as it happens, so that a run that is killed leaves all that it did. A
 * disk that refuses a line ends the record and not the run.
 */
export async function openRecording(
  project: Project,
  model: string,
  file: string,
  options: RecordOptions,
): Promise<Recording> {
  const { services } = project
  const window = await services.contextWindow(model)
  const handle = openSync(file, 'a')
  let [problem, isOpen]: [string | null, boolean] = [null, true]
  let maker: ReturnType<typeof createLineMaker> | undefined
  let listening: Disposable | undefined
  const write = (lines: readonly Parameters<typeof writeRecordLine>[0][]): void => {
    if (problem !== null || lines.length === 0) return
    try {
      writeWhole(handle, lines.map(writeRecordLine).join(''))
    } catch (error) {
      problem = `The record ends before the run did: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  const close = (): void => {
    if (isOpen) closeSync(handle)
    isOpen = false
    listening?.[Symbol.dispose]()
  }
  return {
    start(threadId) {
      const made = createLineMaker(services, threadId, options.withSecrets)
      maker = made
      write([headerOf(project, threadId, window, options), ...made.stored()])
      listening = project.events.listen((event) => {
        if (!isLive(event)) write(made.next(event))
      })
    },
    finish() {
      const size = fstatSync(handle).size
      close()
      const replaced = maker?.replaced() ?? 0
      return [
        problem ?? `The record is in ${file} (${size} bytes).`,
        ...(replaced > 0 ? [replacedSecrets(replaced)] : []),
      ]
    },
    [Symbol.dispose]: close,
  }
}

/** Says that a record is not complete, and what to do about it. */
export function replacedSecrets(lines: number): string {
  const where = lines === 1 ? '1 line' : `${lines} lines`
  return `What looks like a secret was replaced in ${where} of the record, so a replay may make other trees. --with-secrets keeps it.`
}

function writeWhole(handle: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
}

function headerOf(
  { services, rootFolder, info, folders }: Project,
  threadId: ThreadId,
  contextWindow: number,
  { version, withSecrets }: RecordOptions,
): RecordHeader {
  const commit = rootFolder === null ? null : readGitCommit(rootFolder)
  const roots = folders.map(({ root }) => root).filter((root) => root !== rootPath)
  const facts = { app: version, contextWindow, commit, trusted: info().trusted, folders: roots, withSecrets }
  return recordHeader(services, threadId, facts)
}
