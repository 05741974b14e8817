import { createLocate, type Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import type { ProcessRecord } from '#shared/model/process.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf, type CallAccess, type ToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import type { AgentServices } from '../types/services.ts'

/** The call's files as written and as their links lead in `tree`, so that rules see what the tool will open. */
export async function reachedAccess(
  services: Pick<AgentServices, 'base'>,
  tree: Tree,
  processes: readonly ProcessRecord[],
  tool: ToolFacts,
  args: JsonObject,
): Promise<CallAccess> {
  const access = withStartedCommand(accessOf(tool.access, args), tool, args, processes)
  const reach = async (paths: readonly VirtualPath[]) => [
    ...new Set([...paths, ...(await Promise.all(paths.map((path) => leadsTo(services, tree, path))))]),
  ]
  const [reads, writes, lists] = await Promise.all([reach(access.reads), reach(access.writes), reach(access.lists)])
  return { ...access, reads, writes, lists }
}

/** A path that leads nowhere is returned unchanged. The tool will say what is wrong with it. */
async function leadsTo({ base }: Pick<AgentServices, 'base'>, tree: Tree, path: VirtualPath): Promise<VirtualPath> {
  try {
    return (await createLocate(base, () => tree)(path, true)).path
  } catch (error) {
    if (error instanceof BaseTreeError) return path
    throw error
  }
}

/**
 * What is typed into a process is judged together with the command that reads it, as one script: what is denied for
 * either is denied, and only what is allowed for both runs unasked.
 */
function withStartedCommand(
  access: CallAccess,
  { name }: ToolFacts,
  { id }: JsonObject,
  processes: readonly ProcessRecord[],
): CallAccess {
  if (name !== toolFacts.process_input.name) return access
  const started = processes.find((process) => process.id === id)
  return started ? { ...access, command: `${started.command}\n${access.command ?? ''}` } : access
}
