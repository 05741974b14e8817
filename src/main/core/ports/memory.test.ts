import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BlobHash } from '#shared/model/ids.ts'
import { createMemoryBaseTree } from '../overlay/in-memory-base-tree.ts'
import { describeBaseTree } from './base-tree.contract.ts'
import { describeBlobStore } from './blob-store.contract.ts'
import { createMemoryBlobStore } from './blob-store.testkit.ts'
import { describeBranchViews, never, type ViewsWorld } from './branch-views.contract.ts'
import { createMemoryBranchViews } from './branch-views.testkit.ts'
import { describeCodeRunner } from './code-runner.contract.ts'
import { createMemoryCodeRunner } from './code-runner.testkit.ts'
import { describeJournal } from './journal.contract.ts'
import { createMemoryJournal } from './journal.testkit.ts'
import { createMachine } from './machine.testkit.ts'
import { runScript } from './machine-shell.testkit.ts'
import { describeModelClient } from './model-client.contract.ts'
import { createScriptedModel } from './model-client.testkit.ts'
import { describeScratchStore } from './scratch-store.contract.ts'
import { createMemoryScratchStore } from './scratch-store.testkit.ts'
import { describeSearch } from './search.contract.ts'
import { createMemorySearch } from './search.testkit.ts'
import { describeShell } from './shell.contract.ts'
import { createMemoryShell } from './shell.testkit.ts'

const now = () => 1_700_000_000_000
const close = () => undefined
const hashing = {
  hash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: (bytes: Uint8Array) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

describeJournal('in memory', () => ({ journal: createMemoryJournal(now), close }))
describeBlobStore('in memory', () => ({ blobs: createMemoryBlobStore(hashing), close }))
describeScratchStore('in memory', () => ({ scratch: createMemoryScratchStore(now), close }))
describeBaseTree('in memory', async (fixtures) => ({
  tree: createMemoryBaseTree(fixtures),
  [Symbol.asyncDispose]: async () => undefined,
}))

/** A script of the machine that must succeed, as a process that fails rejects. */
async function succeed(script: string, machine: ReturnType<typeof createMachine>, folder: string): Promise<string> {
  const pieces: string[] = []
  const onOutput = (text: string) => void pieces.push(text)
  const status = await runScript(script, { machine, folder, signal: never, onOutput, sleep: async () => {} })
  const output = pieces.join('')
  if (status !== 0) throw new Error(`${script}\nended with ${status}: ${output}`)
  return output
}

function openViews(): ViewsWorld {
  const machine = createMachine()
  machine.put('/machine/project', { kind: 'directory' })
  const base = createMemoryBaseTree()
  const views = createMemoryBranchViews(machine, base)
  /** The project's folder is on the machine, and the base is what stands there. */
  function bringBaseUp(): void {
    for (const name of ['/', ...machine.names('/machine/project').map((one) => `/${one}`)])
      if (name !== '/') base.remove(name)
    for (const [path, node] of machine.below('/machine/project'))
      base.set(path, node.kind === 'file' ? { ...node, content: node.bytes } : node)
  }
  return {
    views,
    async onDisk(script) {
      const output = await succeed(script, machine, '/machine/project')
      bringBaseUp()
      return output
    },
    inView: (view, script) => succeed(script, machine, view.folder),
    fingerprint: async () => JSON.stringify(machine.below('/machine/project')),
    [Symbol.asyncDispose]: () => views[Symbol.asyncDispose](),
  }
}

describeSearch('in memory', async (files) => ({
  search: createMemorySearch(createMemoryBaseTree(files)),
  [Symbol.asyncDispose]: async () => undefined,
}))

describeBranchViews('in memory', async () => openViews())

describeShell('in memory', async () => {
  const machine = createMachine()
  const views = createMemoryBranchViews(machine, createMemoryBaseTree())
  const view = await views.open({ owner: 'branch', overlay: [] }, never)
  return {
    shell: createMemoryShell({ machine }),
    view,
    async fileOf(path) {
      const node = machine.follow(`${view.folder}/${path}`)
      return node?.kind === 'file' ? new TextDecoder().decode(node.bytes) : null
    },
    [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
  }
})

describeCodeRunner('in memory', () => createMemoryCodeRunner(createMachine()))
describeModelClient('scripted', async (answer) => ({
  client: createScriptedModel(() => answer),
  [Symbol.asyncDispose]: async () => undefined,
}))

describe('the machine in memory', () => {
  it.each(['echo $(pwd)', 'for f in *; do echo; done', 'sleep 1 &', 'echo $((1 + 1))', 'f() { true; }', 'if'])(
    'refuses %s, which it does not understand',
    async (script) => {
      await expect(succeed(script, createMachine(), '/')).rejects.toThrow('ended with 2: memory shell:')
    },
  )
})
