import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree, createMemoryBlobStore } from '#overlay'
import type { BlobHash } from '#shared/model/ids.ts'
import { describeBaseTree } from './base-tree.contract.ts'
import { describeBlobStore } from './blob-store.contract.ts'
import { describeBranchMounts, type MountsWorld, never } from './branch-mounts.contract.ts'
import { createMemoryBranchMounts } from './branch-mounts.testkit.ts'
import { describeCodeRunner } from './code-runner.contract.ts'
import { createMemoryCodeRunner } from './code-runner.testkit.ts'
import { describeJournal } from './journal.contract.ts'
import { createMemoryJournal } from './journal.testkit.ts'
import { createMachine } from './machine.testkit.ts'
import { runScript } from './machine-shell.testkit.ts'
import { describeModelClient } from './model-client.contract.ts'
import { createScriptedModel } from './model-client.testkit.ts'
import { describeSearch } from './search.contract.ts'
import { createMemorySearch } from './search.testkit.ts'
import { describeShell } from './shell.contract.ts'
import { createMemoryShell } from './shell.testkit.ts'
import { describeScratchStore } from './stores/scratch-store.contract.ts'
import { createMemoryScratchStore } from './stores/scratch-store.testkit.ts'
import { describeUserMemories } from './stores/user-memories.contract.ts'
import { createMemoryUserMemories } from './stores/user-memories.testkit.ts'

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

/** Runs a script that must succeed. Throws when it fails, like a process that rejects. */
async function succeed(script: string, machine: ReturnType<typeof createMachine>, folder: string): Promise<string> {
  const pieces: string[] = []
  const onOutput = (text: string) => void pieces.push(text)
  const status = await runScript(script, { machine, folder, signal: never, onOutput, sleep: async () => {} })
  const output = pieces.join('')
  if (status !== 0) throw new Error(`${script}\nended with ${status}: ${output}`)
  return output
}

function openMounts(): MountsWorld {
  const machine = createMachine()
  machine.put('/machine/project', { kind: 'directory' })
  const base = createMemoryBaseTree()
  const mounts = createMemoryBranchMounts(machine, base)
  /** Updates the base from the project's folder on the machine. */
  function bringBaseUp(): void {
    for (const name of ['/', ...machine.names('/machine/project').map((one) => `/${one}`)])
      if (name !== '/') base.remove(name)
    for (const [path, node] of machine.below('/machine/project'))
      base.set(path, node.kind === 'file' ? { ...node, content: node.bytes } : node)
  }
  return {
    mounts: mounts,
    async onDisk(script) {
      const output = await succeed(script, machine, '/machine/project')
      bringBaseUp()
      return output
    },
    inMount: (mount, script) => succeed(script, machine, mount.folder),
    fingerprint: async () => JSON.stringify(machine.below('/machine/project')),
    [Symbol.asyncDispose]: () => mounts[Symbol.asyncDispose](),
  }
}

describeSearch('in memory', async (files) => ({
  search: createMemorySearch(createMemoryBaseTree(files)),
  [Symbol.asyncDispose]: async () => undefined,
}))

describeBranchMounts('in memory', async () => openMounts())

describeShell('in memory', async () => {
  const machine = createMachine()
  const mounts = createMemoryBranchMounts(machine, createMemoryBaseTree())
  const mount = await mounts.open({ owner: 'branch', overlay: [] }, never)
  return {
    shell: createMemoryShell({ machine }),
    mount: mount,
    async fileOf(path) {
      const node = machine.follow(`${mount.folder}/${path}`)
      return node?.kind === 'file' ? new TextDecoder().decode(node.bytes) : null
    },
    [Symbol.asyncDispose]: () => mount[Symbol.asyncDispose](),
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

describeUserMemories('in memory', createMemoryUserMemories)
