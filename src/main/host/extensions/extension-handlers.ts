import type { AgentServices } from '#core/agent/types/services.ts'
import type { ExtensionList, FoundExtension, SlashPreview, SlashView } from '#shared/contract/views/extensions.ts'
import { windowCommands } from '#shared/model/messages/built-in-commands.ts'
import { readMessageNotes, slashNameIn } from '#shared/model/messages/message-notes.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { agentCommands, readAsked } from '../inputs/read-asked.ts'
import { agentHandlers } from './agent-handlers.ts'
import type { FoundAgent } from './agents.ts'
import { ownSkillsFolder } from './person-folders.ts'
import type { FoundSkill } from './skills.ts'
import type { SlashEntry, SlashList } from './slash-list.ts'
import { writeSkill } from './write-skill.ts'

export function extensionHandlers(os: Implementer, parts: HostParts) {
  const { options, projects, settings } = parts
  return {
    ...agentHandlers(os, parts),
    list: os.extensions.list.handler(async ({ input }): Promise<ExtensionList> => {
      const { extensions, runtime } = projects.get(input.projectId)
      const { skills, agents, settings } = await extensions.find()
      if (input.servers) await extensions.refresh()
      return {
        agents: agents.agents.map(agentView),
        skills: skills.skills.map(skillView),
        settings: settings.settings,
        problems: [
          ...agents.problems,
          ...skills.problems,
          ...settings.problems,
          ...runtime.warnings().map((message) => ({ file: '', line: null, message })),
        ],
      }
    }),
    slash: os.extensions.slash.handler(async ({ input }) => {
      const { extensions, mcp, services } = projects.get(input.projectId)
      if (input.servers) await mcp.refresh()
      const list = await extensions.slash()
      const model = input.model ?? settings.read().model
      return { entries: slashViews(services, list, model, windowCommands), problems: list.problems }
    }),
    previewSlash: os.extensions.previewSlash.handler(async ({ input }): Promise<SlashPreview | null> => {
      const project = projects.get(input.projectId)
      const known = input.threadId === null ? undefined : project.requireActive(input.threadId)
      const thread = { threadId: known?.id ?? null, model: known?.model ?? settings.read().model }
      const { entry, note, warnings } = await readAsked(project, thread, input.text)
      const { skill, command } = readMessageNotes(note)
      return entry && { ...slashView(entry), text: command?.text ?? skill?.file ?? '', warnings }
    }),
    addSkill: os.extensions.addSkill.handler(async ({ input }) =>
      writeSkill(ownSkillsFolder(options.dataFolder), input),
    ),
  }
}

function agentView(agent: FoundAgent): FoundExtension {
  const { name, description, mode, tools, model, source, unknownKeys } = agent
  const tokens = tokensOfNaming(name, description)
  return {
    ...{ name, description, mode, tools, model, source, tokens, unknownKeys },
    answersInJson: agent.answerSchema != null,
  }
}

function skillView({ name, description, source, unknownKeys, compatibility, isFor }: FoundSkill): FoundExtension {
  const tokens = isFor.agents ? tokensOfNaming(name, description) : 0
  return { name, description, source, tokens, unknownKeys, ...(compatibility !== '' && { compatibility }) }
}

/**
 * What a word after a slash can mean. The commands of the external agent that a model names go before others of their names,
 * except for `reserved` words, which never come to an agent.
 */
export function slashViews(
  services: Pick<AgentServices, 'agentModels'>,
  { entries }: Pick<SlashList, 'entries'>,
  model: string,
  reserved: readonly string[],
): readonly SlashView[] {
  const ofAgent = agentEntries(services, model).filter(({ word }) => !reserved.includes(word))
  const words = new Set(ofAgent.map(({ word }) => word))
  return [...entries.filter(({ word }) => !words.has(word)).map(slashView), ...ofAgent]
}

/** The commands of an external agent, as it offered them last. */
function agentEntries(services: Pick<AgentServices, 'agentModels'>, model: string): readonly SlashView[] {
  const source = `the agent ${agentIn(model)}`
  const commands = agentCommands(services, model).filter(({ name }) => slashNameIn(`/${name}`) === name)
  return commands.map(({ name, description }) => ({
    ...{ kind: 'agent', word: name, description: oneLine(description), hint: '', source },
    ...{ allowedTools: null, model: null, effort: null },
  }))
}

function slashView({ what, word, description, hint, source, allowedTools, model, effort }: SlashEntry): SlashView {
  return { kind: what.kind, word, description, hint, source, allowedTools, model, effort }
}

/** Estimates four characters per token. */
function tokensOfNaming(name: string, description: string): number {
  return Math.ceil((name.length + description.length) / 4)
}

/** What a person does with hooks. */
export function hookHandlers(os: Implementer, { projects }: HostParts) {
  return {
    list: os.hooks.list.handler(({ input }) => projects.get(input.projectId).hooks.list()),
    approve: os.hooks.approve.handler(async ({ input: { projectId, hash, approved } }) => {
      const { hooks } = projects.get(projectId)
      await hooks.setApproved(hash, approved)
      return hooks.list()
    }),
    setOn: os.hooks.setOn.handler(async ({ input: { projectId, hash, on } }) => {
      const { hooks } = projects.get(projectId)
      await hooks.setOn(hash, on)
      return hooks.list()
    }),
  }
}
