import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createMcpConnector } from '#adapters/mcp/mcp-connector.ts'
import { createHookPrograms } from '#adapters/programs/hook-programs.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { keepLast } from '#core/agent/runtime/keep-last.ts'
import { promptFileAccess } from '#core/approval/file-policy.ts'
import { denyingRule } from '#core/approval/rules.ts'
import { createExtensionSource, type ProjectExtensions } from '../extensions/extension-source.ts'
import { personFolders } from '../extensions/person-folders.ts'
import type { ProjectFiles } from '../extensions/project-text.ts'
import { homeClaudeSettings, projectClaudeSettings } from '../hooks/claude-settings.ts'
import { createHookList, namesOfProject, type ProjectHooks } from '../hooks/hook-list.ts'
import { createMcpQuestions } from '../mcp/mcp-questions.ts'
import { createMcpServers } from '../mcp/mcp-servers.ts'
import { openMcpTrust } from '../mcp/mcp-trust.ts'
import { agentsOf, type EffectiveSettings, namesOfFolder } from '../settings/settings-source.ts'
import { createTurns } from '../settings/turns.ts'
import type { OpenFolder } from './open-folder.ts'
import type { OpenStore } from './open-store.ts'
import { givenOut, givenToPrograms, type Opening } from './opening.ts'

export type OpenDefinitions = ReturnType<typeof openDefinitions>

/** The third stage: what the person and a trusted project define: servers, agents, skills, and the settings that count. */
export function openDefinitions(
  opening: Opening,
  { events, log }: Pick<OpenStore, 'events' | 'log'>,
  { base, temporary, prefixes, isTrusted }: OpenFolder,
) {
  const { options, settings, place, cleanup } = opening
  const policy = () => extensions.narrow(settings.read().agents).policy
  /** For files that become part of a prompt or of a definition. */
  const access = () => promptFileAccess(policy())
  const mcp = cleanup.use(
    createMcpServers({
      base,
      connector: createMcpConnector({
        version: options.version,
        workingFolder: place.rootFolder ?? temporary,
        variable: (name) => givenOut(opening, name),
        logins: options.logins,
      }),
      trust: openMcpTrust(join(place.dataFolder, 'mcp-trust.json')),
      folderTrusted: isTrusted,
      denyingRule: (tool) => denyingRule(policy().rules, tool),
      userServers: () => settings.read().mcpServers,
      // A run in a terminal, and an editor, go on without an answer.
      ...(options.frontend !== 'cli' && {
        questions: createMcpQuestions(({ threadId, callId }) =>
          events.publish({
            ...{ type: 'server.asked', threadId, callId },
            ...{ at: systemClock.now(), sequence: log.state.sequence },
          }),
        ),
      }),
    }),
  )
  const extensions: ProjectExtensions = createExtensionSource({
    files: { base, access },
    trusted: isTrusted,
    mcp,
    userAgents: () => settings.read().userAgents,
    settingsFile: settings.file,
    person: personFolders(options),
    home: () => homeClaudeSettings(options.environment),
    dataFolder: options.dataFolder,
    inputsPrefix: prefixes['/inputs/'],
  })
  const hooks = openHooks(opening, { base, access, isTrusted })
  return { mcp, extensions, hooks, access, agentSettings: keepAgentSettings(opening, extensions) }
}

function openHooks(
  opening: Opening,
  { base, access, isTrusted }: ProjectFiles & Pick<OpenFolder, 'isTrusted'>,
): ProjectHooks {
  const { options, settings, place } = opening
  const { dataFolder, environment } = options
  return createHookList({
    own: () => settings.read().hooks,
    home: () => homeClaudeSettings(environment),
    ofProject: () => projectClaudeSettings({ base, access }),
    folderTrusted: isTrusted,
    folderNames: place.rootFolder === null ? [] : namesOfProject(place.rootFolder, environment.HOME),
    approved: openMcpTrust(join(place.dataFolder, 'hooks.json')),
    switchedOff: openMcpTrust(join(dataFolder, 'hooks-off.json')),
    programs: createHookPrograms({
      folder: () => (isTrusted() ? place.rootFolder : null),
      privateFolder: join(place.dataFolder, 'programs'),
      environment: () => givenToPrograms(opening),
    }),
  })
}

/** Agents ask dozens of times in a turn, and each time would look at the files of the settings. */
function keepAgentSettings({ settings, place }: Opening, extensions: ProjectExtensions) {
  const turns = createTurns()
  /** The same object until something was set. What agents make of it, such as their policy, is made as rarely. */
  const narrowed = keepLast((read: EffectiveSettings, _narrowing: Settings, _names: string) =>
    extensions.narrow(agentsOf(read, place.rootFolder)),
  )
  const latest = keepLast((_latest: EffectiveSettings, narrowing: Settings, _turn: number) => {
    const read = settings.read()
    return narrowed(read, narrowing, namesOfFolder(read, place.rootFolder))
  })
  return () => latest(settings.latest(), extensions.narrowing(), turns())
}
