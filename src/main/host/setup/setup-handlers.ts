import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import { registryIn } from '#shared/base/reach/registry-presets.ts'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { noScripts } from '#shared/model/setup.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import type { Project } from '../project/project.ts'
import { allReached } from '../settings/granted-reach.ts'
import { ownSetup } from '../settings/setup-settings.ts'

/** How a project's setup is told to a person. */
function viewer({ options, settings }: Pick<HostParts, 'options' | 'settings'>) {
  const places = { home: homedir(), environment: options.environment }
  return async function view({ setup, extensions, rootFolder, info }: Project): Promise<SetupView> {
    await extensions.find()
    const includedFiles = info().trusted ? await setup.includedFiles() : []
    const own = ownSetup(settings.read().setup, rootFolder)
    const found = info().trusted && own.setup !== null ? await setup.scripts() : noScripts
    const scripts = {
      archive: own.archive === undefined ? found.archive : null,
      variables: own.variables === undefined ? found.variables : {},
      leftOut: found.leftOut,
    }
    const accepted = { archive: own.archive ?? null, variables: own.variables ?? {} }
    const { definition, origin, proposedHosts: setupHosts, never } = setup.choice()
    const proposals = definition === null ? await setup.proposals() : []
    const { sandbox } = extensions.projectSettings()
    const wanted = (typeof sandbox === 'object' && sandbox.proposed_hosts) || []
    const granted = allReached(settings.read(), rootFolder)
    const meant = wanted.filter((one) => !granted.includes(one)).map(realReach)
    const commandHosts = rootFolder === null ? [] : [...new Set(meant)].filter((one) => !granted.includes(one))
    const named = [definition, ...proposals].flatMap((one) => one?.hosts ?? [])
    const presets = [...named, ...setupHosts, ...commandHosts].filter((host) => registryIn(host) !== undefined)
    return {
      ...{ definition, origin, proposals, never, setupHosts, commandHosts, includedFiles },
      ...{ scripts, accepted },
      state: await setup.runs.state(),
      presets: Object.fromEntries(presets.map((host) => [host, resolveHosts([host], places)])),
    }
  }
}

export function setupHandlers(os: Implementer, parts: HostParts) {
  const { projects, settings } = parts
  const view = viewer(parts)
  function folderOf({ rootFolder }: Project): string {
    if (rootFolder === null) throw new WireError('REFUSED', 'A workspace without a folder has no setup.')
    return rootFolder
  }
  return {
    view: os.setup.view.handler(({ input }) => view(projects.get(input.projectId))),
    save: os.setup.save.handler(async ({ input: { projectId, command, inputs, hosts, ...accepted } }) => {
      const project = projects.get(projectId)
      const folder = folderOf(project)
      const own = ownSetup(settings.read().setup, folder)
      settings.saveSetup(folder, { ...own, setup: command, inputs, hosts, ...accepted })
      await project.setup.runs.start()
      return view(project)
    }),
    acceptScripts: os.setup.acceptScripts.handler(async ({ input: { projectId, archive, variables } }) => {
      const project = projects.get(projectId)
      const folder = folderOf(project)
      settings.saveSetup(folder, { ...ownSetup(settings.read().setup, folder), archive, variables })
      return view(project)
    }),
    decline: os.setup.decline.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      settings.saveSetup(folderOf(project), { setup: null })
      return view(project)
    }),
    remove: os.setup.remove.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const folder = folderOf(project)
      const own = ownSetup(settings.read().setup, folder)
      settings.saveSetup(folder, own.setup === undefined ? { setup: null } : undefined)
      return view(project)
    }),
    allowHosts: os.setup.allowHosts.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const folder = folderOf(project)
      allowProposed(settings, folder, await view(project), input.hosts)
      return view(project)
    }),
    showFiles: os.setup.showFiles.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { includedFiles } = await view(project)
      // Only what the person saw: the project may name others by now.
      const shown = includedFiles.filter((path) => input.paths.includes(path))
      if (shown.length > 0)
        await settings.updateRules({ effect: 'allow', add: shown.map((path) => `Read(${path})`), remove: [] })
      return view(project)
    }),
    start: os.setup.start.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      await project.setup.runs.start()
      return view(project)
    }),
    cancel: os.setup.cancel.handler(async ({ input }) => projects.get(input.projectId).setup.runs.cancel()),
    output: os.setup.output.handler(async ({ input }) => ({
      text: projects.get(input.projectId).setup.runs.output(),
    })),
  }
}

/** Allows what the person saw: the project may propose others by now. */
function allowProposed(
  settings: HostParts['settings'],
  folder: string,
  { setupHosts, commandHosts }: SetupView,
  hosts: readonly string[],
): void {
  const ofSetup = setupHosts.filter((one) => hosts.includes(one))
  const ofCommands = commandHosts.filter((one) => hosts.includes(one))
  if (ofCommands.length > 0) settings.grantHosts(folder, ofCommands)
  if (ofSetup.length === 0) return
  const own = ownSetup(settings.read().setup, folder)
  settings.saveSetup(folder, { ...own, hosts: [...(own.hosts ?? []), ...ofSetup] })
}

/** A project may hold a link to any socket, so what a person is asked about is where a path leads now. */
function realReach(name: string): string {
  if (!name.startsWith('/')) return name
  try {
    return realpathSync(name)
  } catch {
    return name
  }
}
