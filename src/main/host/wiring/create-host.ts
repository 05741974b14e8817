import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createLogins } from '#adapters/mcp/login/logins.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { noSandbox, type Sandbox } from '#adapters/shell/sandbox.ts'
import { openUserMemories } from '#adapters/sqlite/sqlite-user-memories.ts'
import { endAbandoned } from '#adapters/system/ends-with-app.ts'
import { sweepTemporary } from '#adapters/system/made-folders.ts'
import { applyOutgoing } from '#adapters/system/outgoing/outgoing.ts'
import { plural } from '#shared/text/plural.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { HostParts } from '../app/host-parts.ts'
import { stayAwake } from '../app/stay-awake.ts'
import { type OpenDoor, openDoor } from '../handover/door.ts'
import { createLoginStore } from '../mcp/login-store.ts'
import { createProvider } from '../models/provider.ts'
import { createProjects, type Projects } from '../project/projects.ts'
import { createRegistry } from '../project/registry.ts'
import { providerOfReplay, settingsOfReplay } from '../records/replay-source.ts'
import { createSettingsSource, type SettingsSource } from '../settings/settings-source.ts'
import { prepareDataFolder } from '../storage/data-folder.ts'
import { createUpdates, type Updates } from '../updates/updates.ts'
import { createRouter } from './router.ts'

export interface Host extends HostParts, AsyncDisposable {
  /** The contract's commands, validated and implemented. A transport serves them. */
  readonly router: ReturnType<typeof createRouter>
}

/**
 * Builds the whole application without a window: makes every adapter once and passes them to core. Throws
 * `DataFolderError` for a place that cannot hold the data.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  for (const warning of prepareDataFolder(options.dataFolder)) options.warn?.(warning)
  endAbandoned()
  const outgoing = applyOutgoing(options.environment, options.findProxy)
  const swept = sweepTemporary()
  const { replay } = options
  const ownSettings = createSettingsSource(options)
  const settings = replay ? settingsOfReplay(ownSettings, replay) : ownSettings
  const ownProvider = await createProvider(options, settings)
  const provider = replay ? providerOfReplay(ownProvider, replay) : ownProvider
  const registry = createRegistry(join(options.dataFolder, 'projects.json'), () => systemClock.now())
  await swept
  const sandbox = await sandboxFor(options, settings)
  const userMemories = openUserMemories({
    file: join(options.dataFolder, 'memories.db'),
    now: () => systemClock.now(),
    onMovedAside: (path) =>
      options.log(
        `The memories for all projects were damaged. They were kept as ${path} and a new store was started. Each project brings back what it wrote when it is opened`,
        'damaged memories',
      ),
  })
  const door = await openOwnDoor(options)
  const logins = createLogins(createLoginStore(options.secrets))
  const projects = createProjects({ ...options, door, logins }, settings, provider, registry, sandbox, userMemories)
  const updates = updatesOf(options, settings, projects)
  const awake = stayAwake({
    ...options,
    every,
    isOn: () => settings.read().outward.keepAwake,
    working: () => projects.working(),
  })
  const parts: HostParts = { options, settings, provider, registry, projects, sandbox, updates }
  return {
    ...parts,
    router: createRouter(parts),
    async [Symbol.asyncDispose]() {
      updates[Symbol.dispose]()
      awake[Symbol.dispose]()
      outgoing[Symbol.dispose]()
      // A window closes at once. A run waits for those who joined it.
      if (options.frontend === 'cli')
        await door?.idle((count) =>
          options.warn?.(
            `Waiting for ${plural(count, 'command', 'commands')} that came here, because this run has the project open.`,
          ),
        )
      await door?.[Symbol.asyncDispose]()
      await projects[Symbol.asyncDispose]()
      userMemories[Symbol.dispose]()
      await sandbox[Symbol.asyncDispose]()
    },
  }
}

/** Null where this process takes no command lines, and where the system lets it open no socket. */
async function openOwnDoor(options: HostOptions): Promise<OpenDoor | null> {
  const { carryOut, dataFolder, version, holder, log, warn } = options
  if (!carryOut) return null
  try {
    return await openDoor({ dataFolder, version, holder, carryOut })
  } catch (error) {
    const { message } = error as Error
    const problem =
      'While this has a project open, other commands about it are refused, because no socket can be opened'
    if (warn) warn(`${problem}: ${message}`)
    else log(problem, error)
    return null
  }
}

async function sandboxFor({ openSandbox: open, dataFolder }: HostOptions, settings: SettingsSource): Promise<Sandbox> {
  if (settings.read().sandbox === 'off') return noSandbox('Switched off in the settings: every command asks.')
  return open ? open() : openSandbox([dataFolder])
}

function updatesOf(options: HostOptions, settings: SettingsSource, projects: Projects): Updates {
  return createUpdates({
    updater: options.updater ?? null,
    owner: options.owner ?? 'npm',
    stateFile: join(options.dataFolder, 'updates.json'),
    isOn: () => settings.read().updates === 'daily',
    setOn: (on) => settings.put(['updates'], on ? 'daily' : 'off'),
    working: () => projects.working(),
    now: () => systemClock.now(),
    every,
    log: options.log,
  })
}

function every(milliseconds: number, act: () => void): Disposable {
  const timer = setInterval(act, milliseconds)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
