import { randomUUID } from 'node:crypto'
import { withoutSandbox } from '#core/agent/external/external-sessions.ts'
import { tryAgent } from '#core/agent/external/try-agent.ts'
import type { ExtensionList, FoundExtension, SlashPreview, SlashView } from '#shared/contract/views/extensions.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { readAsked } from '../inputs/read-asked.ts'
import { agentsIn, type FoundAgent } from './agents.ts'
import { findKnownAgents, proposedDefinition } from './known-agents.ts'
import { ownSkillsFolder } from './person-folders.ts'
import type { FoundSkill } from './skills.ts'
import type { SlashEntry } from './slash-list.ts'
import { writeSkill } from './write-skill.ts'

/** Milliseconds in which an agent must have begun a conversation to count as working. */
const tryMs = 60_000

export function extensionHandlers(os: Implementer, { options, projects, settings }: HostParts) {
  const ownAgents = () => agentsIn(settings.read().userAgents, settings.file).agents
  return {
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
      const { extensions, mcp } = projects.get(input.projectId)
      if (input.servers) await mcp.refresh()
      const { entries, problems } = await extensions.slash()
      return { entries: entries.map(slashView), problems }
    }),
    previewSlash: os.extensions.previewSlash.handler(async ({ input }): Promise<SlashPreview | null> => {
      const project = projects.get(input.projectId)
      const known = input.threadId === null ? undefined : project.requireActive(input.threadId)
      const thread = { threadId: known?.id ?? null, model: known?.model ?? settings.read().model }
      const { entry, note, warnings } = await readAsked(project, thread, input.text)
      const { skill, command } = readMessageNotes(note)
      return entry && { ...slashView(entry), text: command?.text ?? skill?.file ?? '', warnings }
    }),
    addAgent: os.extensions.addAgent.handler(async ({ input }) => {
      if (ownAgents().some(({ name }) => name === input.name))
        throw new WireError('REFUSED', `${settings.file} defines ${input.name} already.`)
      const [problem] = agentsIn([input], settings.file).problems
      if (problem) throw new WireError('REFUSED', problem.message)
      settings.put(['subagents', -1], input)
    }),
    knownAgents: os.extensions.knownAgents.handler(async ({ input }) => {
      const { rootFolder } = projects.get(input.projectId)
      const known = ownAgents()
      const path = options.environment.PATH ?? ''
      return findKnownAgents(path, rootFolder ?? options.dataFolder, (name) => known.some((one) => one.name === name))
    }),
    addKnownAgent: os.extensions.addKnownAgent.handler(async ({ input: { name } }) => {
      const definition = proposedDefinition(name)
      if (!definition) throw new WireError('NOT_FOUND', `Coppice knows no external agent ${name}.`)
      if (ownAgents().some((one) => one.name === name))
        throw new WireError('REFUSED', `${settings.file} defines ${name} already.`)
      settings.put(['subagents', -1], definition)
    }),
    tryAgent: os.extensions.tryAgent.handler(async ({ input, signal = new AbortController().signal }) => {
      const { services } = projects.get(input.projectId)
      const program = ownAgents().find(({ name }) => name === input.name)?.program
      if (program?.kind !== 'acp')
        throw new WireError('NOT_FOUND', `Your settings define no external agent ${input.name}.`)
      const { state, reason } = services.shell.sandbox()
      if (state !== 'on') throw new WireError('REFUSED', withoutSandbox(reason))
      const late = AbortSignal.any([signal, AbortSignal.timeout(tryMs)])
      try {
        return await tryAgent(services, program, `try ${input.name} ${randomUUID()}`, late)
      } catch (error) {
        if (signal.aborted) throw error
        const why = late.aborted ? `It did not answer within ${tryMs / 1000} s.` : ''
        throw new WireError('REFUSED', why || (error instanceof Error ? error.message : String(error)))
      }
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

function slashView({ what, word, description, hint, source, allowedTools, model, effort }: SlashEntry): SlashView {
  return { kind: what.kind, word, description, hint, source, allowedTools, model, effort }
}

/** Estimates four characters per token. */
function tokensOfNaming(name: string, description: string): number {
  return Math.ceil((name.length + description.length) / 4)
}
