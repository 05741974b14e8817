import type { ExtensionList } from '#shared/contract/views.ts'
import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

export function extensionHandlers(os: Implementer, { projects }: HostParts) {
  return {
    list: os.extensions.list.handler(async ({ input }): Promise<ExtensionList> => {
      const { skills, agents, settings } = await projects.get(input.projectId).extensions.found()
      return {
        agents: agents.agents.map(({ name, description, mode, tools, model, source, unknownKeys }) => ({
          name,
          description,
          mode,
          tools,
          model,
          source,
          unknownKeys,
        })),
        skills: skills.skills.map(({ name, description, source, unknownKeys }) => ({
          name,
          description,
          source,
          unknownKeys,
        })),
        settings: settings.settings,
        problems: [...agents.problems, ...skills.problems, ...settings.problems],
      }
    }),
  }
}
