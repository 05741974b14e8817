import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ShellError } from '#core/ports/shell.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { type BubblewrapOptions, inBubblewrap, variablesInside } from '../bubblewrap/bubblewrap.ts'
import { seccompFilter } from '../bubblewrap/seccomp-filter.ts'
import { listenOnLoopback } from '../loopback-server.ts'
import { readRegistries } from '../registries/read-registries.ts'
import { type ConfinedMount, type ConfineRequest, noSandbox, type Sandbox, type SandboxOptions } from '../sandbox.ts'
import { findLinux, type LinuxPlaces } from './linux-places.ts'
import { judge, probeScript, windowsProgram } from './probe.ts'
import { carryVariables, createWsl, type Wsl } from './wsl-program.ts'

export interface WslOptions extends SandboxOptions {
  /** Path of `wsl.exe`. The one on PATH when absent. */
  readonly program?: string
  /** A program of Windows that ends by itself. One of the system when absent. */
  readonly windowsProgram?: string
}

/**
 * The sandbox of Windows: commands run in the Linux that the person has installed, in bubblewrap. Their network is always
 * off, because the proxy cannot be reached from there. Without such a Linux there is no sandbox, and every command asks.
 */
export async function openWsl(options: WslOptions = {}): Promise<Sandbox> {
  const { home = homedir(), environment = process.env } = options
  const wsl = createWsl(options.program ?? 'wsl.exe')
  const linux = await findLinux(wsl)
  if ('why' in linux) return noSandbox(`${linux.why} Every command asks.`, options)
  const ofWindows = options.windowsProgram ?? join(environment.SystemRoot ?? 'C:\\Windows', 'System32', 'whoami.exe')
  const folder = makeTemporary('wsl')
  const filter = await writeFilter(wsl, folder)
  const state = await probe(wsl, linux, { folder, filter, ofWindows })
  if (state.state === 'off') {
    await removeMade(folder)
    return noSandbox(state.reason, options)
  }
  return {
    state,
    skipped: [],
    findRegistries: async () => readRegistries({ home, environment }),
    async confine(program, { mount, memoryBytes, stays = false }) {
      if (stays) throw new ShellError('unavailable', 'Commands in WSL cannot stay in the background.')
      const inside = await mountInLinux(wsl, mount)
      const rules = rulesWith(linux, memoryBytes, filter)
      return {
        program: [...wsl.start, ...filtered(filter, inBubblewrap(program, inside, rules))],
        isConfined: true,
        given: null,
        environment: variablesInside(inside, rules),
        carryVariables,
        filter: null,
        refusedHosts: () => [],
        [Symbol.dispose]: () => undefined,
      }
    },
    holdNetwork: async () => null,
    [Symbol.asyncDispose]: () => removeMade(folder),
  }
}

const filterDescriptor = 3

/** Where Linux finds the filter of system calls; null for a machine without one. */
async function writeFilter(wsl: Wsl, folder: string): Promise<string | null> {
  const bytes = seccompFilter()
  if (bytes === null) return null
  const file = join(folder, 'seccomp')
  await writeFile(file, bytes)
  return wsl.pathOf(file)
}

/** `wsl.exe` hands no open files on, so bash opens the filter in Linux. */
function filtered(filter: string | null, program: readonly string[]): readonly string[] {
  if (filter === null) return program
  const open = `exec ${filterDescriptor}< "$1" && shift && exec "$@"`
  return ['bash', '--noprofile', '--norc', '-c', open, 'bash', filter, ...program]
}

function rulesWith({ places }: LinuxPlaces, memoryBytes: number, filter: string | null): BubblewrapOptions {
  return {
    // The person of the Linux, who is not root. Its number does not matter, since the command keeps it.
    user: { kind: 'own', user: 1000, group: 1000 },
    places,
    kernel: { readOnly: [], hiddenFiles: [], hiddenFolders: [] },
    masked: { files: [], folders: [] },
    rootFolder: null,
    withoutNetwork: true,
    ownProcesses: true,
    proxySocket: null,
    given: null,
    memoryBytes,
    bubblewrap: 'bwrap',
    enter: null,
    filterDescriptor: filter === null ? null : filterDescriptor,
  }
}

/** Throws `ShellError` for a folder that Linux does not have. */
async function mountInLinux(wsl: Wsl, mount: ConfineRequest['mount']): Promise<ConfinedMount> {
  const pathOf = async (folder: string) => {
    const path = await wsl.pathOf(folder)
    if (path !== null) return path
    throw new ShellError('unavailable', `WSL cannot reach ${folder}. Choose a data folder on a drive such as C:.`)
  }
  const folders = (mount.folders ?? []).map(async (one) => ({ ...one, folder: await pathOf(one.folder) }))
  const others = (mount.others ?? []).map(async (one) => ({
    ...one,
    real: one.real && (await pathOf(one.real)),
    folder: await pathOf(one.folder),
    home: await pathOf(one.home),
  }))
  const places = mount.places.map(async (place) => ({ ...place, folder: await pathOf(place.folder) }))
  return {
    folder: await pathOf(mount.folder),
    home: await pathOf(mount.home),
    temporary: await pathOf(mount.temporary),
    places: await Promise.all(places),
    folders: await Promise.all(folders),
    others: await Promise.all(others),
    readable: await Promise.all((mount.readable ?? []).map(pathOf)),
  }
}

interface ProbeInput {
  readonly folder: string
  readonly filter: string | null
  /** A program of Windows. */
  readonly ofWindows: string
}

/** Tries as a command what the sandbox must prevent. */
async function probe(
  wsl: Wsl,
  linux: LinuxPlaces,
  { folder, filter, ofWindows }: ProbeInput,
): Promise<Sandbox['state']> {
  const [view, outside] = [join(folder, 'view'), join(folder, 'outside')]
  await mkdir(view)
  await writeFile(outside, 'seen')
  const hasTriedWindows = await copyFile(ofWindows, join(view, windowsProgram)).then(
    () => true,
    () => false,
  )
  await using server = await listenOnLoopback()
  const mount = await mountInLinux(wsl, { folder: view, home: view, temporary: view, places: [] })
  const words = [(await wsl.pathOf(outside)) ?? '', server.port]
  const script = ['bash', '--noprofile', '--norc', '-c', probeScript, 'bash', ...words]
  const output = await wsl.run(filtered(filter, inBubblewrap(script, mount, rulesWith(linux, 1024 ** 2, filter))))
  return judge({ output, isReached: server.isReached(), hasTriedWindows }, linux.name)
}
