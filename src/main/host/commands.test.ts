import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/sandbox.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.fixture.ts'
import { hostileCommands } from './hostile-commands.suite.ts'

const here = await openSandbox([])
const { state, reason } = here.state
await here[Symbol.asyncDispose]()
if (state !== 'on') console.warn(`SKIPPED: hostile commands in the sandbox, which is ${state} here: ${reason}`)

let world: CommandsWorld
let victim: ReturnType<typeof spawn>
beforeAll(async () => {
  world = await openCommandsWorld()
  victim = spawn('sleep', ['1000'], { stdio: 'ignore' })
  await world.run('echo mine > other', { owner: 'another' })
})
afterAll(async () => {
  victim.kill('SIGKILL')
  await world[Symbol.asyncDispose]()
})

describe.skipIf(state !== 'on')('a hostile command in the sandbox', () => {
  it.each(hostileCommands.map((each) => [each.name, each] as const))(
    '%s',
    async (_name, { command, says, timeoutMs }) => {
      const before = [world.fingerprint(), world.fingerprint(world.place('home'))]
      const values: Readonly<Record<string, string>> = {
        ROOT: world.root,
        ABOVE: world.above,
        REAL_HOME: world.place('home'),
        DATA: world.place('data'),
        PORT: String(world.port),
        VICTIM: String(victim.pid),
      }
      const filled = command.replace(/\$(ROOT|ABOVE|REAL_HOME|DATA|PORT|VICTIM)\b/g, (_, name) => values[name] ?? '')
      const started = performance.now()
      const { output, denied } = await world.run(filled, timeoutMs === undefined ? {} : { timeoutMs })
      const seen = `${output}\n${denied.join('\n')}`
      expect(seen).toMatch(says)
      expect(seen).not.toMatch(/canary-of-/)
      expect([world.fingerprint(), world.fingerprint(world.place('home'))]).toEqual(before)
      expect(world.survivors()).toEqual([])
      expect(world.hits()).toBe(0)
      expect(readdirSync(world.above).sort()).toEqual(['data', 'home', 'root', 'server.sock'])
      expect(readFileSync(world.place('data/key'), 'utf8')).toBe('canary-of-data')
      expect(victim.exitCode ?? victim.signalCode).toBeNull()
      expect(performance.now() - started, 'and not after what it waits for').toBeLessThan(25_000)
    },
  )
})
