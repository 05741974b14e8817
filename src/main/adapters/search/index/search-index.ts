import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { GrepQuery } from '#core/ports/search.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  type Candidates,
  type FoundNames,
  type FromIndex,
  type IndexState,
  type IndexTask,
  type Question,
  type ToIndex,
  tooMany,
} from './messages.ts'
import { requirementOf } from './required-grams.ts'

export interface SearchIndexOptions extends Omit<IndexTask, 'restMs' | 'settlingMs'> {
  readonly workerPath: string
  readonly restMs?: number
  readonly settlingMs?: number
}

/** An index of a project's files, kept by a thread of its own. It only ever saves work: null means to do without it. */
export interface SearchIndex extends AsyncDisposable {
  /** Where matches of the query can be below a folder, as the files are after this call. */
  candidates(query: GrepQuery, path: VirtualPath): Promise<Candidates | null>
  /** The best files for a text that a person typed. Files that changed in the last moments may be missing. */
  find(text: string, limit: number): Promise<FoundNames | null>
  /** Tells of a search that went without the index. One that took long starts it. In milliseconds. */
  took(milliseconds: number): void
  /** Starts it at once. Null where it cannot run. */
  state(): Promise<IndexState | null>
  /** How it asks for the sum of the files that the engine lists. Set by the search that uses it. */
  listWithEngine: (foreign: readonly VirtualPath[]) => Promise<string | null>
}

/** A search without the index that takes longer than this is worth one. Projects below never start the thread. */
const worthMs = 60
/** After this, a search goes on without an answer. The thread has a low priority, and the machine may be busy. */
const patienceMs = 300
/** Where a search without the index takes long, a longer wait is worth it: this part of it. */
const patienceFactor = 4
/** A list of all files takes longer than this where the thread runs, also while it starts. */
const findPatienceMs = 2_000
const mostMegabytes = 1_024
/** Of so many patterns it is remembered that too many files match. Then it forgets them all. */
const mostWide = 200

/** Runs on Linux alone: elsewhere nothing tells reliably that no event of a folder was lost. */
export function createSearchIndex({ workerPath, ...given }: SearchIndexOptions): SearchIndex {
  const task: IndexTask = { restMs: 2_000, settlingMs: 3_000, ...given }
  const asked = new Map<number, (answer: unknown) => void>()
  /** Patterns for which asking is a waste: the answer would be that too many files match. */
  const wide = new Set<string>()
  let started: Worker | undefined
  let isOver = process.platform !== 'linux'
  let questions = 0
  let slowest = 0

  function start(): Worker {
    const worker = new Worker(workerPath, {
      ...{ workerData: task, env: {}, stdout: true, stderr: true },
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    })
    worker.unref()
    worker.on('message', (message: FromIndex) => {
      if ('list' in message) void answerList(message.list)
      else asked.get(message.id)?.(message.answer)
    })
    // Without its thread, the search goes on as before.
    worker.on('error', end)
    worker.on('exit', end)
    return worker
  }

  function end(): void {
    isOver = true
    for (const take of asked.values()) take(null)
  }

  async function answerList(foreign: readonly VirtualPath[]): Promise<void> {
    const listed = await index.listWithEngine(foreign).catch(() => null)
    tell({ listed })
  }

  const tell = (message: ToIndex) => started?.postMessage(message)

  async function ask<Answer>(
    question: Question,
    patience = Math.max(patienceMs, slowest / patienceFactor),
  ): Promise<Answer | null> {
    if (isOver || !started) return null
    const id = ++questions
    const answer = await new Promise<unknown>((resolve) => {
      const timer = setTimeout(() => resolve(null), patience)
      asked.set(id, (given) => {
        clearTimeout(timer)
        resolve(given)
      })
      tell({ id, question })
    })
    asked.delete(id)
    return answer as Answer | null
  }

  const index: SearchIndex = {
    async candidates(query, path) {
      const requirement = started && requirementOf(query)
      const key = JSON.stringify([path, requirement])
      if (!requirement || wide.has(key)) return null
      const answer = await ask<Candidates | typeof tooMany>({ kind: 'candidates', requirement, path })
      if (answer !== tooMany) return answer
      if (wide.size >= mostWide) wide.clear()
      wide.add(key)
      return null
    },
    find: (text, limit) => ask({ kind: 'find', text, limit }, findPatienceMs),
    took(milliseconds) {
      if (Number.isFinite(milliseconds)) slowest = Math.max(slowest, milliseconds)
      if (milliseconds > worthMs && !isOver) started ??= start()
    },
    state() {
      index.took(Number.POSITIVE_INFINITY)
      return ask({ kind: 'state' }, 60_000)
    },
    listWithEngine: async () => null,
    async [Symbol.asyncDispose]() {
      isOver = true
      await started?.terminate()
    },
  }
  if (!isOver && existsSync(join(task.folder, 'catalogue'))) started = start()
  return index
}
