import type { PermissionRules } from '#shared/model/settings.ts'
import { denyingRule } from '../../approval/rules.ts'
import { createAgentRequestTool } from '../../tools/delegate/agent-request.ts'
import { createSearchTools } from '../../tools/search-tools.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import { keepLast } from '../runtime/keep-last.ts'
import type { AgentServices } from '../types/services.ts'
import type { Section, SectionInput } from './section.ts'
import { toolSpec } from './tool-spec.ts'

/** Tools of servers that a request shows. With more, those that a server does not always show are found by a search. */
const mostShown = 40

/** The tools of servers, or of the server that an agent is. */
export function servers({ definition, services, thread, allows }: SectionInput): Section {
  if (definition.program?.kind === 'url') return { tools: [anyTool(createAgentRequestTool(services.programs))] }
  const live = serverTools(services, allows)
  const all = live()
  if (!isTooMany(all)) return { tools: all }
  const hidden = all.filter(({ alwaysShown }) => !alwaysShown)
  const search = createSearchTools({
    hidden,
    all: live,
    isShown: (name) =>
      services.log.state.threads.get(thread.id)?.prompt?.found?.some((one) => one.name === name) ?? false,
    specOf: toolSpec,
  })
  return { tools: [...all.filter(({ alwaysShown }) => alwaysShown), anyTool(search)], hidden }
}

/** True for more tools than requests show. */
export function isTooMany(tools: readonly Tool[]): boolean {
  return tools.filter(({ alwaysShown }) => !alwaysShown).length > mostShown
}

/** Those that an agent may have, at each call as they are then. A tool that can never run would only cost tokens. */
export function serverTools(services: AgentServices, allows: (tool: string) => boolean): () => readonly Tool[] {
  const allowed = keepLast((tools: readonly Tool[], rules: PermissionRules) =>
    tools.filter(({ name }) => allows(name) && denyingRule(rules, name) === undefined),
  )
  return () => allowed(services.extensions.current().tools, services.settings().policy.rules)
}
