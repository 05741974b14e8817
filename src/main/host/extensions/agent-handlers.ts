import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import { findProgram } from '#adapters/system/system-programs.ts'
import { withoutSandbox } from '#core/agent/external/external-sessions.ts'
import { tryAgent } from '#core/agent/external/try-agent.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { platformHere, readRegistry } from './agent-registry.ts'
import { agentsIn } from './agents.ts'
import { findKnownAgents, proposedDefinition } from './known-agents.ts'

/** Milliseconds in which an agent must have begun a conversation to count as working. */
const tryMs = 60_000

/** The definitions of agents in the person's own settings, and the external agents among them. */
export function agentHandlers(os: Implementer, { options, projects, settings }: HostParts) {
  /** Where the person may have registries of their own. */
  const places = { home: homedir(), environment: options.environment }
  const ownAgents = () => agentsIn(settings.read().userAgents, settings.file).agents
  const addDefinition = (definition: { readonly name: string } & Readonly<Record<string, unknown>>): void => {
    if (ownAgents().some((one) => one.name === definition.name))
      throw new WireError('REFUSED', `${settings.file} defines ${definition.name} already.`)
    const [problem] = agentsIn([definition], settings.file).problems
    if (problem) throw new WireError('REFUSED', problem.message)
    settings.put(['subagents', -1], definition)
  }
  return {
    addAgent: os.extensions.addAgent.handler(async ({ input }) => {
      addDefinition(input)
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
      addDefinition(definition)
    }),
    readRegistry: os.extensions.readRegistry.handler(async ({ input: { projectId, text } }) => {
      const { rootFolder } = projects.get(projectId)
      const [path, outside] = [options.environment.PATH ?? '', rootFolder ?? options.dataFolder]
      const { agents, problems } = readRegistry(text, platformHere())
      const isDefined = (name: string) => ownAgents().some((one) => one.name === name)
      return {
        agents: agents.map(({ name, title, acp, hosts, install, program }) => ({
          ...{
            name,
            title,
            command: acp,
            hosts: resolveHosts(hosts, places),
            home: [],
            install,
            isDefined: isDefined(name),
          },
          program: findProgram(program, { outside, path }) ?? null,
        })),
        problems,
      }
    }),
    addRegistryAgent: os.extensions.addRegistryAgent.handler(async ({ input: { text, name } }) => {
      const found = readRegistry(text, platformHere()).agents.find((one) => one.name === name)
      if (!found) throw new WireError('NOT_FOUND', `The file has no agent ${name}.`)
      const { description, acp, hosts, env } = found
      addDefinition({
        name,
        description,
        acp,
        hosts: resolveHosts(hosts, places),
        ...(Object.keys(env).length > 0 && { env }),
      })
    }),
    allowHosts: os.extensions.allowHosts.handler(async ({ input }) =>
      settings.allowAgentHosts(input.name, input.hosts),
    ),
    tryAgent: os.extensions.tryAgent.handler(async ({ input, signal = new AbortController().signal }) => {
      const { services } = projects.get(input.projectId)
      const program = ownAgents().find(({ name }) => name === input.name)?.program
      if (program?.kind !== 'acp')
        throw new WireError('NOT_FOUND', `Your settings define no external agent ${input.name}.`)
      const { state, reason } = services.shell.sandbox()
      if (state !== 'on') throw new WireError('REFUSED', withoutSandbox(reason))
      const late = AbortSignal.any([signal, AbortSignal.timeout(tryMs)])
      try {
        return await tryAgent(services, { name: input.name, program }, `try ${input.name} ${randomUUID()}`, late)
      } catch (error) {
        if (signal.aborted) throw error
        const why = late.aborted ? `It did not answer within ${tryMs / 1000} s.` : ''
        throw new WireError('REFUSED', why || (error instanceof Error ? error.message : String(error)))
      }
    }),
  }
}
