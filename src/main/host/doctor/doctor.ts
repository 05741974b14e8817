import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { createCodeRunner } from '#adapters/runner/code-runner.ts'
import { createRipgrepSearch } from '#adapters/search/ripgrep-search.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { createShell } from '#adapters/shell/shell.ts'
import { loadTerminals } from '#adapters/shell/terminal.ts'
import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import { readGitIgnores } from '#adapters/system/git/git-ignores.ts'
import { makeTemporary, removeMade } from '#adapters/system/made-folders.ts'
import { defaultRunnerLimits } from '#core/ports/code-runner.ts'
import { openProbe } from '#core/trial/open-trial.ts'
import { nodeHashing } from '#overlay/node'
import type { Examination } from '#shared/contract/views/app.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { OpenProfile } from '../models/open-profile.ts'
import type { SecretSource } from '../models/profile-secret.ts'
import { examineDataFolder } from './data-folder-check.ts'
import { examineAwake, examineLimits, examineOutgoing, examinePath, examineSpans } from './machine-checks.ts'
import { examineReach } from './reach-check.ts'
import { describeStored } from './stored-projects.ts'
import { examineToolChains } from './tool-chains-check.ts'
import { examineWatching } from './watching-check.ts'

type Check = () => Promise<string>

const reinstall = 'Install Coppice again; in a checkout, run "npm ci".'
/** Systems for which isolated-vm comes built. Elsewhere its absence is no fault of the installation. */
function hasIsolates(): boolean {
  const system = `${process.platform}-${process.arch}`
  return ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64'].includes(system) && !isMusl()
}
const run = promisify(execFile)

/** Uses every part once. A required part that fails is `broken`, with its error and a way to fix it. */
export async function* examine(parts: HostParts): AsyncGenerator<Examination, void> {
  const folder = makeTemporary('doctor')
  try {
    yield* examineRequired(parts, folder)
    yield* optional(parts, folder)
  } finally {
    await removeMade(folder)
  }
}

async function* examineRequired({ options, sandbox }: HostParts, folder: string): AsyncGenerator<Examination, void> {
  yield await runCheck('Node', 'broken', async () => nodeVersion(), 'Install Node 24 or newer.')
  yield await examineDataFolder(options.dataFolder)
  yield await runCheck('SQLite', 'broken', async () => database(folder), reinstall)
  yield await runCheck(
    'Code runner',
    hasIsolates() ? 'broken' : 'optional',
    () => javaScript(options),
    `Without it agents run no JavaScript; everything else works. ${reinstall}`,
  )
  yield await runCheck(
    'ripgrep',
    'broken',
    () => ripgrep(folder),
    `Without it agents cannot search; everything else works. ${reinstall}`,
  )
  yield await runCheck('Commands', 'broken', () => command(folder, sandbox), 'Install bash.')
  yield await runCheck(
    'Terminal',
    'broken',
    () => terminal(folder),
    `Without it the window has no terminal; everything else works. ${reinstall}`,
  )
}

async function* optional(
  { options, settings, provider, sandbox }: HostParts,
  folder: string,
): AsyncGenerator<Examination, void> {
  yield await runCheck(
    'Python',
    'optional',
    () => python(options, folder),
    `Without it, agents write their scripts in JavaScript. ${reinstall}`,
  )
  yield await runCheck(
    'git',
    'optional',
    async () => (await run('git', ['--version'])).stdout.trim(),
    'Without git, patches are checked by the app’s own reader alone.',
  )
  const { problem } = readGitIgnores(process.cwd())
  if (problem !== null) yield { name: 'Repository', state: 'optional', detail: problem }
  yield {
    name: 'Sandbox',
    state: sandbox.state.state === 'on' ? 'ok' : 'optional',
    detail: `${sandbox.state.state}: ${sandbox.state.reason}`,
  }
  yield examineLimits(settings.read().commandLimits)
  yield* examineReach(settings.read().reach, sandbox)
  yield examinePath(sandbox)
  yield await examineToolChains(options, sandbox, folder)
  yield await runCheck(
    'Storage',
    'optional',
    () => describeStored(options.dataFolder),
    'Check the permissions of its folders.',
  )
  yield await runCheck(
    'Watching',
    'optional',
    () => examineWatching(options, folder),
    'Files are compared before each use all the same. On Linux, raise fs.inotify.max_user_watches or max_user_instances.',
  )
  yield await examineOutgoing(options)
  yield* examineAwake(options, settings.read().outward.keepAwake)
  yield* examineSpans(settings.read().spans)
  for (const profile of settings.read().profiles.byName.values())
    if (profile.name !== builtInProfile) yield examineProfile(provider.open(profile.name))
  const { keySource, baseUrl, model } = provider.info()
  const from =
    keySource === null ? 'none: add one in Settings or set ANTHROPIC_API_KEY; the demo needs none' : `from ${keySource}`
  yield { name: 'API key', state: keySource === null ? 'optional' : 'ok', detail: from }
  yield { name: 'Model', state: 'ok', detail: `${model}${baseUrl === null ? '' : ` at ${baseUrl}`}` }
}

const secretSources: Readonly<Record<NonNullable<SecretSource>, string>> = {
  memory: 'memory',
  stored: 'the key store',
  environment: 'the environment',
  command: 'a command',
}

/** Asks no server: a test of a model does that, when a person wants it. */
function examineProfile({ profile, secret, findProblem }: OpenProfile): Examination {
  const problem = findProblem()
  const from = secret.source()
  const key = from === null ? 'no key needed' : `key from ${secretSources[from]}`
  const detail = problem ?? `${profile.kind} at ${profile.address ?? 'the address of its package'}, ${key}`
  return { name: `Profile ${profile.name}`, state: problem === null ? 'ok' : 'optional', detail }
}

async function runCheck(
  name: string,
  otherwise: 'broken' | 'optional',
  check: Check,
  mend: string,
): Promise<Examination> {
  try {
    return { name, state: 'ok', detail: await check() }
  } catch (error) {
    return { name, state: otherwise, detail: `${error instanceof Error ? error.message : String(error)}. ${mend}` }
  }
}

function nodeVersion(): string {
  if (Number(process.versions.node.split('.')[0]) < 24) throw new Error(`${process.version} is too old`)
  const system = `${process.version} on ${process.platform}-${process.arch}`
  return isMusl() ? `${system} with musl, for which some parts do not come built; each is named below` : system
}

/** Alpine and its like. Node's report names the GNU C library, for which most built parts are made. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined
}

function database(folder: string): string {
  using opened = openProjectDatabase({ file: join(folder, 'doctor.db'), clock: systemClock, hashing: nodeHashing })
  return `write-ahead log, synchronous full (${opened.journal.read({ after: 0 }).length} entries in a new database)`
}

async function javaScript({ nodePath, runnerChildPath }: HostOptions): Promise<string> {
  const files = { read: refuse, write: refuse, list: refuse, exists: refuse, delete: refuse }
  using runner = createCodeRunner({ nodePath, childPath: runnerChildPath })
  const code = { language: 'javascript', code: 'return 6 * 7', files, limits: defaultRunnerLimits } as const
  const { outcome } = await runner.run(code, AbortSignal.timeout(20_000))
  if (outcome.value !== 42) throw new Error(outcome.error ?? 'gave a wrong answer')
  return `isolated-vm answered in ${outcome.duration_ms} ms`
}

async function python({ nodePath, runnerChildPath }: HostOptions, folder: string): Promise<string> {
  using runner = createCodeRunner({ nodePath, childPath: runnerChildPath })
  const mount = { folder, enter: (program: readonly string[]) => program }
  const code = { language: 'python', code: '6 * 7', mount, limits: defaultRunnerLimits } as const
  const { outcome } = await runner.run(code, AbortSignal.timeout(20_000))
  if (outcome.value !== 42) throw new Error(outcome.error ?? 'gave a wrong answer')
  return `monty answered in ${outcome.duration_ms} ms`
}

async function refuse(): Promise<never> {
  throw new Error('No files here')
}

async function ripgrep(folder: string): Promise<string> {
  await writeFile(join(folder, 'needle.txt'), 'needle\n')
  const search = createRipgrepSearch({ rootFolder: folder, temporaryFolder: folder })
  const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
  const query = { pattern: 'needle', context: 0, caseInsensitive: false, literal: true, multiline: false }
  const found = await search.grep(query, scope, AbortSignal.timeout(10_000))
  if (found.files.length !== 1) throw new Error('did not find the file that is there')
  return 'found a needle'
}

async function command(folder: string, sandbox: Sandbox): Promise<string> {
  const signal = AbortSignal.timeout(20_000)
  await using mounts = createBranchMounts({ rootFolder: folder, mountsFolder: join(folder, 'views') })
  await using mount = await openProbe(mounts, 'doctor', signal)
  const request = { command: 'echo ready', timeoutMs: 10_000, mount, onOutput: () => {} }
  const { output } = await createShell({ sandbox, rootFolder: folder }).execute(request, signal)
  if (output.trim() !== 'ready') throw new Error(`printed ${JSON.stringify(output)}`)
  const { reason } = await mounts.findStrategy()
  return `bash ran in a throw-away view. ${reason}`
}

async function terminal(folder: string): Promise<string> {
  const openTerminal = await loadTerminals()
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('printed nothing within 5 seconds')), 5_000)
    const opened = openTerminal({
      cwd: folder,
      // Not the person's shell: what its start-up files do may take any time, and is not ours to mend.
      enter: () => (process.platform === 'win32' ? ['cmd.exe', '/c', 'echo ready'] : ['/bin/sh', '-c', 'echo ready']),
      columns: 80,
      rows: 24,
      onData: () => {
        clearTimeout(late)
        opened.close()
        resolve('a pseudo-terminal opened')
      },
      onExit: () => {},
    })
  })
}
