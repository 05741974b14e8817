import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeMeans } from '#adapters/mounts/probe.ts'
import { noSandbox } from '#adapters/shell/sandbox.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { shown } from '#core/ports/branch-mounts.contract.ts'
import { isQuick, testSize } from '#core/ports/test-size.testkit.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'
import { hostileCommands } from './hostile-commands.testkit.ts'

const bash = promisify(execFile)
const { state } = await sandboxHere('hostile commands')

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
    },
  )
})

describe.skipIf(state !== 'on')('a command in the sandbox', () => {
  it('reaches a granted host for that command alone, and is told the names of the refused ones', async () => {
    const fetch = (name: string) => `NO_PROXY= no_proxy= curl -sS -m 30 http://${name}:${world.port}/`
    const script = `${fetch('localhost')}; curl -sS -m 30 https://not-granted.example/`
    const granted = await world.run(script, { hosts: [`localhost:${world.port}`] })
    expect(granted.output).toContain('canary-of-server')
    expect(granted.denied).toEqual(['not-granted.example:443'])
    expect((await world.run(fetch('localhost'))).output).not.toContain('canary-of-server')
  })

  it('reaches a host that all commands may reach, and no other one', async () => {
    let granted: readonly string[] = []
    await using open = await openCommandsWorld({ findHosts: () => granted })
    const fetch = (port: number) => `NO_PROXY= no_proxy= curl -sS -m 30 http://localhost:${port}/`
    expect((await open.run(fetch(open.port))).output).not.toContain('canary-of-server')
    granted = [`localhost:${open.port}`]
    const script = `${fetch(open.port)}; ${fetch(world.port)}; curl -sS -m 30 https://not-granted.example/`
    const { output, denied } = await open.run(script, { hosts: ['granted.example'] })
    expect(output.match(/canary-of-server/g)).toHaveLength(1)
    expect(denied).toEqual([`localhost:${world.port}`, 'not-granted.example:443'])
  })

  it.each([[[]], [['localhost:9']]])('reads all of its input, with the granted hosts %j', async (hosts) => {
    const input = 'x'.repeat(300_000)
    expect(await world.run('cd src && wc -c', { hosts, input })).toMatchObject({ exitCode: 0, output: '300000\n' })
  })

  it('is stopped with everything it started, and its mount works again', async () => {
    const controller = new AbortController()
    const stubborn = `trap '' TERM; (setsid sleep 1000 &) ; echo begun > begun; while :; do sleep 1000; done`
    const running = world.run(stubborn, { signal: controller.signal })
    await expect.poll(() => world.survivors().some((line) => line.includes('sleep 1000'))).toBe(true)
    controller.abort('stopped')
    await expect(running).rejects.toBe('stopped')
    expect(world.survivors()).toEqual([])
    expect((await world.run('ls')).output).not.toContain('begun')
  })
})

describe('a command that takes too much', () => {
  it('is ended when it fills the disk, and its files are removed', async () => {
    const findLimits = () => ({ disk: { taken: 64 * 1024 ** 2, free: 0, files: 1e6 } })
    await using greedy = await openCommandsWorld({ sandbox: noSandbox('forced'), findLimits })
    const script = 'mkdir node_modules; while :; do head -c 16M /dev/zero >> node_modules/big; sleep 0.05; done'
    const { endedBy } = await greedy.run(script, { timeoutMs: 60_000 })
    expect(endedBy).toBe('disk')
  })

  it('is ended when it makes files without an end, also if they are empty', async () => {
    const findLimits = () => ({ disk: { taken: 1024 ** 3, free: 0, files: 5_000 } })
    await using greedy = await openCommandsWorld({ sandbox: noSandbox('forced'), findLimits })
    const script = `mkdir node_modules && cd node_modules && perl -e 'for (1..30000) { open my $f, ">", $_ } sleep 60'`
    const { endedBy } = await greedy.run(script, { timeoutMs: 60_000 })
    expect(endedBy).toBe('disk')
  })

  const many = 'keeps as many files as a patch may hold, names the others, and the next one starts afresh'
  it.skipIf(isQuick())(many, async () => {
    const files = testSize(50_500, 1_000_000)
    await using open = await openCommandsWorld({ sandbox: noSandbox('forced') })
    const before = open.fingerprint()
    const script = `mkdir many && cd many && perl -e 'for (1..${files}) { open my $f, ">", $_ }'`
    const { changes, notKept = [] } = await open.run(`${script}; echo printed`, { timeoutMs: 600_000 })
    expect([changes.length, notKept.length]).toEqual([50_000, files - 50_000])
    expect(open.fingerprint()).toBe(before)
    expect(await open.run('ls')).toMatchObject({ output: 'absolute\noutside\nrun.sh\nsrc\n', changes: [] })
  })
})

describe('a command without a sandbox, in a full copy, as on Windows', () => {
  it('works on the copy, is ended with its group, and leaves the real folder unchanged', async () => {
    const probe = async () => ({ kind: 'copy', reason: 'asked for' }) as const
    await using plain = await openCommandsWorld({ sandbox: noSandbox('forced'), mounts: { probe } })
    const before = plain.fingerprint()
    const { changes, denied } = await plain.run(
      'echo two > src/a.txt; rm run.sh; mkdir node_modules; touch node_modules/x; echo b > absolute/b',
    )
    expect(shown(changes)).toEqual(['/run.sh absent', '/src/a.txt - two\n', '/src/b - b\n'])
    const ended = await plain.run(`trap '' TERM; sleep 1000 & sleep 1000`, { timeoutMs: 500 })
    expect([ended.endedBy, denied, plain.fingerprint()]).toEqual(['time', [], before])
    expect(plain.shell.sandbox()).toEqual({ state: 'off', reason: 'forced' })
  })
})

it.each(['overlay', 'copy'] as const)(
  'a real project tests and compares itself in a mount (%s) as in a copy',
  async (kind) => {
    const probe = kind === 'copy' ? async () => ({ kind, reason: 'asked for' }) as const : probeMeans
    await using project = await openCommandsWorld({ sandbox: noSandbox('forced'), mounts: { probe } })
    const git = 'git -c user.name=n -c user.email=e'
    const make = `rm absolute outside; cat > package.json <<< '{"name":"p","type":"module","scripts":{"test":"node --test --test-reporter=tap | grep -v duration_ms"}}'
    cat > sum.js <<< 'export const sum = (a, b) => a + b'
    cat > sum.test.js <<< 'import test from "node:test"; import assert from "node:assert"; import { sum } from "./sum.js"
      test("sums", () => assert.equal(sum(1, 2), 3)); test("fails", () => assert.equal(sum(1, 2), 4))'
    git init -q -b main . && git add -A && ${git} commit -qm one && echo '// more' >> sum.js && chmod +x sum.js`
    await bash('bash', ['-c', make], { cwd: project.root })
    const script =
      'npm test 2>&1 | sed "s#$PWD#HERE#g" | grep -v "^npm\\|_ms" ; git status --short; git diff; git log --format=%s'
    const copy = project.place('copy')
    await bash('cp', ['-a', project.root, copy])
    const expected = (await bash('bash', ['-c', script], { cwd: copy })).stdout
    expect(expected).toContain('not ok 2 - fails')
    expect(expected).toContain('+// more')
    const { output, changes } = await project.run(script)
    expect(output).toBe(expected)
    expect(changes).toEqual([])
  },
)
