import { createOverlayTransaction, treeHash } from '#overlay'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { CommandApproval } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { noRules } from '../../approval/rules.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import { lastResults, type ModelScript, type ScriptedCall, turnOf } from '../../ports/model-client.testkit.ts'
import type { AgentWorld } from '../agent-world.testkit.ts'

export const execute = (id: string, command: string): ScriptedCall => ({ name: 'execute', id, input: { command } })
export const write = (id: string, file_path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  id,
  input: { file_path, content },
})
export const callId = (id: string) => id as ToolCallId
export const path = (text: string) => text as VirtualPath
export const once =
  (...calls: readonly ScriptedCall[]): ModelScript =>
  (request) =>
    turnOf(request) === 0 ? { calls } : { text: [...lastResults(request).values()].join('|') }
/** The mode decides about commands, as in a project without a setting. */
export const policy = (rules: Partial<typeof noRules> = {}, commands?: CommandApproval) => ({
  policy: { interruptOn: new Map(), rules: { ...noRules, ...rules }, ...(commands && { commands }) },
})
export const requestsOf = (world: AgentWorld, id: ThreadId) =>
  world.thread(id).interrupts.flatMap(({ action_requests }) => action_requests)
export const effectsOf = (world: AgentWorld, id: ThreadId, call: string) =>
  requestsOf(world, id).find((request) => request.callId === call)?.effects
export const startsOf = (world: AgentWorld) => world.entries('tool.started').map((entry) => entry.callId)
/** Everything of the branch that a command can change. */
export const stateOf = (world: AgentWorld, id: ThreadId) => {
  const { log, hashing } = world.services
  const { branchId } = world.thread(id)
  const tree = log.trees.heads.get(branchId)
  return [tree && treeHash(tree, hashing), environmentOf(log.trees, branchId).length]
}

/** A patch that replaces a file of the thread's branch, as a person's edit makes it. */
export async function patchOf(world: AgentWorld, id: ThreadId, file: string, text: string) {
  const { base, blobs, hashing, log, clock } = world.services
  const tree = log.trees.heads.get(world.thread(id).branchId)
  if (!tree) throw new Error('The thread has no branch')
  const edit = createOverlayTransaction({ base, blobs, hashing, tree, now: () => clock.now() })
  await edit.write(path(file), new TextEncoder().encode(text))
  return edit.patch()
}
