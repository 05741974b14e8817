import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createFileSecrets } from '#host/app/file-secrets.ts'
import type { ReplaySource } from '#host/records/replay-source.ts'
import { folderRoutes, parseFolder } from '#host/settings/folders.ts'
import { folderProblem } from '#host/settings/routes.ts'
import { placesOf } from '#host/settings/settings-source.ts'
import { createHost, type Host } from '#host/wiring/create-host.ts'
import { hostProblem } from '#shared/base/reach/host-names.ts'
import { portIn, socketProblem } from '#shared/base/reach/local-reach.ts'
import { presetProblem } from '#shared/base/reach/registry-presets.ts'
import { appPaths, appVersion, dataFolderFor, isCheckout } from './app-paths.ts'
import { type CommandLine, numberOf, UsageError } from './arguments.ts'
import { carryOut } from './handover/carry-out.ts'
import { orHandOver } from './handover/hand-over.ts'
import { printStatus, problemText } from './print-status.ts'
import { terminal } from './screen/terminal.ts'

export type FrontendKind = 'cli' | 'web'

/** Opens the host for a terminal. Keys come from the environment, or from a file that a person agreed to. */
export async function openHost(
  line: CommandLine,
  frontend: FrontendKind,
  initialFolder: string | null = null,
  replay?: ReplaySource,
): Promise<Host> {
  const { host: holder, runLine, environment } = terminal()
  if (holder) return asGuest(line, holder)
  const dataFolder = dataFolderFor(line.text('data-dir'), environment)
  const maxIterations = numberOfIterations(line)
  const host: Host = await createHost({
    frontend,
    version: appVersion(),
    dataFolder,
    owner: isCheckout ? 'source' : 'npm',
    settingsFile: settingsFileOf(line),
    environment,
    nodePath: process.execPath,
    runnerChildPath: appPaths.runnerChild,
    indexWorkerPath: appPaths.indexWorker,
    textWorkerPath: appPaths.textWorker,
    pdfWorkerPath: appPaths.pdfWorker,
    pageWorkerPath: appPaths.pageWorker,
    demoFolder: appPaths.demo,
    initialFolder,
    ...(replay && { replay }),
    secrets: createFileSecrets(join(dataFolder, 'key')),
    holder: `coppice ${line.command}`,
    ...(runLine && {
      carryOut: (guest) => {
        const carried = () => carryOut(guest, host, runLine)
        // A project that only a guest opened is not kept from others afterwards.
        return isServer(line) ? host.projects.use(carried) : carried()
      },
    }),
    overrides: { ...(maxIterations !== undefined && { maxIterations }), ...setupOf(line), ...givenOf(line) },
    warn: (sentence) => printStatus(`coppice: ${sentence}`),
    log: (problem, error) => printStatus(problemText(problem, error)),
  })
  for (const problem of host.settings.read().problems) printStatus(`Settings: ${problem}`)
  return isHandedOver(line) ? { ...host, projects: orHandOver(host.projects, line) } : host
}

/** Verbs that other programs start and that stay for long. They have a project open only while they need it. */
function isServer({ command }: CommandLine): boolean {
  return command === 'acp' || command === 'mcp'
}

/** A replay has models of its own, and a window is opened on a project that is closed. */
function isHandedOver(line: CommandLine): boolean {
  return (
    line.command !== 'open' && line.command !== 'serve' && line.command !== 'mcp' && line.text('replay') === undefined
  )
}

/** The host of another process, which outlives the verb. Throws `UsageError` for what that process has decided already. */
function asGuest(line: CommandLine, host: Host): Host {
  const { holder, settingsFile } = host.options
  const settings = line.text('settings')
  const isOther = settings !== undefined && resolve(settings) !== (settingsFile && resolve(settingsFile))
  const fixed = ['max-iterations', 'setup', 'allow-host', 'allow-port', 'allow-socket', 'ref', 'add-dir'].filter(
    (name) => line.texts(name).length > 0,
  )
  const [first] = [...(isOther ? ['settings'] : []), ...fixed]
  if (first !== undefined)
    throw new UsageError(
      `--${first} cannot be chosen here, because ${holder} has this project open and does the work. Leave it out, or close the project there.`,
    )
  // Its projects stay as they are when a guest leaves.
  const projects = { ...host.projects, use: <Result>(work: () => Promise<Result>) => work() }
  return { ...host, projects, [Symbol.asyncDispose]: async () => undefined }
}

function settingsFileOf(line: CommandLine): string | null {
  const file = line.text('settings')
  if (file === undefined) return null
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.isDirectory()) throw new UsageError(`--settings: there is no file ${file}.`)
  return file
}

function allowedHosts(line: CommandLine): readonly string[] {
  const hosts = line.texts('allow-host')
  for (const host of hosts) {
    const preset = presetProblem(host)
    const problem = preset === undefined ? hostProblem(host) : preset
    if (problem !== null) throw new UsageError(`--allow-host: ${problem}`)
  }
  return hosts
}

/** Ports and sockets of this machine. Throws `UsageError` for a socket that is not there. */
function allowedReach(line: CommandLine) {
  const localPorts = line.texts('allow-port').map((text) => {
    const port = portIn(text)
    if (port === null)
      throw new UsageError(`--allow-port: ${JSON.stringify(text)} is no port. Ports go from 1 to 65535.`)
    return port
  })
  const sockets = line.texts('allow-socket').map((given) => (given.startsWith('~/') ? given : resolve(given)))
  for (const path of sockets) {
    const wrong = socketProblem(path)
    if (wrong !== null) throw new UsageError(`--allow-socket: ${wrong}`)
    const place = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
    if (!statSync(place, { throwIfNoEntry: false })?.isSocket())
      throw new UsageError(
        `--allow-socket: ${path} is no socket. Start the program that makes it, or correct the path.`,
      )
  }
  return { localPorts, sockets }
}

/** What a run is given beside its folder. Throws `UsageError` for a folder that cannot be used. */
function givenOf(line: CommandLine) {
  const { environment } = terminal()
  const places = placesOf({ dataFolder: dataFolderFor(line.text('data-dir'), environment), environment })
  const read = line.texts('ref').map((given) => parseFolder(given, process.cwd(), 'read'))
  const changed = line.texts('add-dir').map((given) => parseFolder(given, process.cwd(), 'write'))
  const [problem] = folderRoutes(read, null, places).problems
  if (problem !== undefined) throw new UsageError(`--ref: ${problem}`)
  for (const { path } of changed) {
    const wrong = folderProblem(path, places)
    if (wrong !== null) throw new UsageError(`--add-dir ${wrong}.`)
  }
  return { hosts: allowedHosts(line), ...allowedReach(line), folders: [...read, ...changed] }
}

function setupOf(line: CommandLine): { readonly setup?: string } {
  const setup = line.text('setup')?.trim()
  if (setup === '') throw new UsageError('--setup takes auto, none or a command line.')
  return setup === undefined ? {} : { setup }
}

function numberOfIterations(line: CommandLine): number | undefined {
  return numberOf(line, 'max-iterations', { min: 1, max: 10_000 })
}
