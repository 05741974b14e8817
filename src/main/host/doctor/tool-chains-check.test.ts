import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { noSandbox } from '#adapters/shell/sandbox.ts'
import { makeTemporary, removeMade } from '#adapters/system/made-folders.ts'
import { systemProgram } from '#adapters/system/system-programs.ts'
import { examineToolChains } from './tool-chains-check.ts'

const path = process.env.PATH
let folder: string
beforeEach(() => {
  folder = makeTemporary('test')
  mkdirSync(join(folder, 'bin'))
  for (const name of ['bash', 'sh', 'sleep']) symlinkSync(systemProgram(name), join(folder, 'bin', name))
  process.env.PATH = join(folder, 'bin')
})
afterEach(async () => {
  process.env.PATH = path
  await removeMade(folder)
})

function tool(name: string, script: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'bin', name), 0o755)
}
const examineWith = (environment: Readonly<Record<string, string>>, timeoutMs?: number) => {
  const options = { environment: { PATH: process.env.PATH ?? '', ...environment }, dataFolder: join(folder, 'data') }
  return examineToolChains(options, noSandbox('A test runs without.'), folder, timeoutMs)
}

it('names the tools that a command finds as the person does', async () => {
  tool('deno', 'echo deno 2.5')
  expect(await examineWith({})).toMatchObject({
    name: 'Tool chains',
    state: 'ok',
    detail: expect.stringContaining('deno'),
  })
})

it('names each tool that says something else in a command, and what to do', async () => {
  tool('deno', 'echo "deno $MANAGED_BY"')
  const { state, detail } = await examineWith({ MANAGED_BY: 'a manager' })
  expect(state).toBe('optional')
  expect(detail).toMatch(
    /^deno: in your shell “deno a manager”, in a command “deno”\. Commands find tools through PATH/,
  )
})

it('does not wait for a tool that hangs', async () => {
  tool('deno', '[ -z "$MANAGED_BY" ] && sleep 60; echo deno 2.5')
  const { detail } = await examineWith({ MANAGED_BY: 'a manager' }, 3_000)
  expect(detail).toContain('deno: in your shell “deno 2.5”, in a command “no answer in time”')
})
