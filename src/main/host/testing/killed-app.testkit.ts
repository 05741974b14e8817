import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createMcpConnector } from '#adapters/mcp/mcp-connector.ts'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { createCodeRunner } from '#adapters/runner/code-runner.ts'
import { runRipgrep } from '#adapters/search/ripgrep-process.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { noSandbox } from '#adapters/shell/sandbox.ts'
import { createShell } from '#adapters/shell/shell.ts'
import { endAbandoned } from '#adapters/system/ends-with-app.ts'
import { sweepTemporary } from '#adapters/system/made-folders.ts'
import { thisMaker } from '#adapters/system/maker.ts'
import { never } from '#core/ports/branch-mounts.contract.ts'
import { defaultRunnerLimits } from '#core/ports/code-runner.ts'

// A process to be killed in the middle of everything that starts programs, makes folders or mounts. It sweeps as the
// app does at its start, does its part, and prints `ready` when everything runs.
const [above = '', part = '', childPath = '', data = 'data'] = process.argv.slice(2)
const ended = endAbandoned()
const swept = await sweepTemporary()
const rootFolder = join(above, 'root')
const probe = async () => ({ kind: 'copy', reason: 'asked for' }) as const
const mounts = createBranchMounts({
  rootFolder,
  mountsFolder: join(above, data, 'views'),
  ...(part === 'copy' && { probe }),
})

/** A command that tries to outlive everything, and says when it runs. */
const stubborn = `trap '' TERM HUP; setsid sleep 1000 & echo running; while :; do sleep 1000; done`

/** With `stays`, a command of a network that others can join, with an open preview of its port. */
async function command(stays = false): Promise<void> {
  const sandbox = part === 'copy' ? noSandbox('forced') : await openSandbox([join(above, data)])
  const mount = await mounts.open({ owner: stays ? 'process' : 'branch', overlay: [] }, never)
  const shell = createShell({ sandbox, rootFolder })
  const hosts = sandbox.state.state === 'on' ? ['localhost:9'] : []
  const running = Promise.withResolvers<void>()
  const onOutput = (text: string) => text.includes('running') && running.resolve()
  const network = stays ? await shell.openNetwork('branch') : null
  const how = stays ? { network: 'branch', onStart: () => undefined } : {}
  const ended = shell.execute({ command: stubborn, timeoutMs: 600_000, mount, hosts, onOutput, ...how }, never)
  const tooSoon = ended.then((outcome) => Promise.reject(new Error(`The command ended: ${JSON.stringify(outcome)}`)))
  await Promise.race([running.promise, tooSoon])
  await network?.openPreview({ port: 3000, family: 'v4' })
}

/** Endless code that never yields. Nothing tells that it runs but its process. */
async function code(language: 'javascript' | 'python'): Promise<void> {
  const runner = createCodeRunner({ nodePath: process.execPath, childPath })
  const limits = { ...defaultRunnerLimits, timeoutMs: 600_000 }
  const refuse = () => Promise.reject(new Error('none here'))
  const files = { read: refuse, write: refuse, list: refuse, exists: refuse, delete: refuse }
  if (language === 'javascript') void runner.run({ language, code: 'for (;;);', files, limits }, never)
  else {
    const mount = await mounts.open({ owner: 'code', overlay: [] }, never)
    void runner.run({ language, code: 'while True:\n    pass', mount, limits }, never)
  }
}

async function grep(): Promise<void> {
  mkdirSync(join(above, 'search'), { recursive: true })
  execFileSync('mkfifo', [join(above, 'search/endless')])
  // Its own limit is ten seconds, which a busy machine needs to start all the rest.
  const limits = { milliseconds: 600_000 }
  void runRipgrep(['x', join(above, 'search/endless')], above, 10, () => undefined, never, limits)
}

/** A server that hears nothing, and a program of it that tries to outlive everything. */
async function server(): Promise<void> {
  const connector = createMcpConnector({ version: '1', workingFolder: rootFolder, variable: () => undefined })
  // Each names the folder, so that a test finds it without a mark.
  const script = `trap '' TERM HUP; setsid bash -c 'sleep 2000; : ${above}' & sleep 3000; : ${above}`
  const definition = { kind: 'stdio', command: 'bash', args: ['-c', script], env: {} } as const
  const begun = connector.connect(definition, never)
  begun.catch(() => undefined)
}

switch (part) {
  case 'everything':
    await Promise.all([command(), command(true), code('javascript'), code('python'), grep()])
    break
  case 'server':
    await server()
    break
  case 'copy':
    await command()
    break
  default:
    await (await mounts.open({ owner: 'later', overlay: [] }, never))[Symbol.asyncDispose]()
}
process.stdout.write(`${JSON.stringify({ ready: true, ended, swept, run: thisMaker().run })}\n`)
if (part === 'start') process.exit()
setInterval(() => undefined, 1_000)
