import type { ExtensionList } from '#shared/contract/views/extensions.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { userSkillsFolder } from './skills.ts'
import { writeSkill } from './write-skill.ts'

export function extensionHandlers(os: Implementer, { options, projects }: HostParts) {
  return {
    list: os.extensions.list.handler(async ({ input }): Promise<ExtensionList> => {
      const { extensions, runtime } = projects.get(input.projectId)
      const { skills, agents, settings } = await extensions.find()
      if (input.servers) await extensions.refresh()
      return {
        agents: agents.agents.map(({ name, description, mode, tools, model, answerSchema, source, unknownKeys }) => ({
          name,
          description,
          mode,
          answersInJson: answerSchema != null,
          tools,
          model,
          source,
          tokens: tokensOfNaming(name, description),
          unknownKeys,
        })),
        skills: skills.skills.map(({ name, description, source, unknownKeys }) => ({
          name,
          description,
          source,
          tokens: tokensOfNaming(name, description),
          unknownKeys,
        })),
        settings: settings.settings,
        problems: [
          ...agents.problems,
          ...skills.problems,
          ...settings.problems,
          ...runtime.warnings().map((message) => ({ file: '', line: null, message })),
        ],
      }
    }),
    addSkill: os.extensions.addSkill.handler(async ({ input }) => writeSkill(userSkillsFolder(options), input)),
  }
}

/** Estimates four characters per token. */
function tokensOfNaming(name: string, description: string): number {
  return Math.ceil((name.length + description.length) / 4)
}
