import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { createOverlayTransaction, emptyTree } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import type { Scenario } from '../e2e/model-server/scenario.ts'
import type { HostOptions } from '../src/main/host/app/host-options.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** The key of the model's server, in the environment of the app. */
export const usualKey = 'sk-test'

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: object
  /** Further settings, for which the address of the model's server must be known. */
  readonly settingsFor?: (url: string) => object
  readonly trusted?: boolean
  readonly openSandbox?: HostOptions['openSandbox']
  /** Approves every call that asks. */
  readonly approving?: true
  /** Folders beside the project, as its settings give them. */
  readonly folders?: readonly { readonly name: string; readonly path: string; readonly access?: 'read' | 'write' }[]
  /** Changes the project's folder before it is opened. */
  readonly changeFolder?: (folder: string) => void
  /** Further variables of the environment. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Opens the loop over its real parts – SQLite, ripgrep, isolates, the SDK over HTTP – with a model that follows a
 * scenario.
 */
export async function openWorld(scenario: Scenario, options: WorldOptions = {}) {
  const { files = {}, settings = {}, trusted = false, openSandbox, environment = {}, approving } = options
  const server = await startModelServer(scenario)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const [folder, data] = [temporaryFolder(), temporaryFolder()]
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  options.changeFolder?.(folder)
  const named = Object.fromEntries((options.folders ?? []).map(({ name, ...one }) => [name, one]))
  const given = options.folders && { folders: { projects: { [folder]: named } } }
  writeFileSync(
    join(data, 'settings.json'),
    JSON.stringify({ ...settings, ...options.settingsFor?.(server.url), ...given }),
  )
  const access = { ...environment, ANTHROPIC_API_KEY: usualKey, ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(data, undefined, access, openSandbox)
  onTestFinished(() => host[Symbol.asyncDispose]())
  const project = await host.projects.open(folder)
  if (trusted) host.projects.setTrusted(project.info().id, true)
  const { runtime, services } = project
  if (approving) {
    const listening = project.events.listen((event) => {
      if (event.type !== 'interrupt.raised') return
      const { interrupt } = event
      const decisions = interrupt.action_requests.map(({ callId }): Decision => ({ type: 'approve', callId }))
      queueMicrotask(() => runtime.decide(interrupt.threadId, interrupt.id, decisions))
    })
    onTestFinished(() => listening[Symbol.dispose]())
  }
  const thread = (id: ThreadId): ThreadState => {
    const state = readThread(services.log, id)
    if (!state) throw new Error(`no thread ${id}`)
    return state
  }
  return {
    server,
    host,
    project,
    folder,
    data,
    thread,
    /** Runs a task until it ends or waits for a person. */
    async run(task: string, approvalMode: ApprovalMode = 'auto-edit'): Promise<ThreadId> {
      const content = [{ type: 'text', text: task }] as const
      const id = runtime.begin({ title: task, model: 'scripted', approvalMode }, () => content)
      await runtime.whenIdle(id)
      return id
    },
    /** Makes all the decisions that the thread waits for. */
    decide(id: ThreadId, decisions: readonly Decision[]): void {
      const [interrupt] = thread(id).interrupts
      if (!interrupt) throw new Error(`${id} waits for nothing`)
      runtime.decide(id, interrupt.id, decisions)
    },
    /** A file of the thread's branch as text; empty if it does not exist. */
    /** Lets the agent of a new thread work until it is done. Returns the text of each call's result. */
    async work() {
      const id = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto' })
      runtime.send(id, [{ type: 'text', text: 'main' }], 'queue')
      await runtime.whenIdle(id)
      const results = [...thread(id).calls.values()].map((call) =>
        (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
      )
      return { id, results }
    },
    async fileOf(id: ThreadId, path: string): Promise<string> {
      const tree = services.log.trees.heads.get(thread(id).branchId) ?? emptyTree
      const draft = createOverlayTransaction({ ...services, tree })
      if ((await draft.stat(path as VirtualPath)) === undefined) return ''
      return new TextDecoder().decode(await draft.read(path as VirtualPath))
    },
  }
}

export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'coppice-scenario-')))
}
