import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { changedScripts } from '../../approval/changed-scripts.ts'
import { entriesWithin } from '../../overlay/tree.ts'
import type { CallContext } from './call-context.ts'

const mostFilesOnCard = 50

/**
 * What a person cannot see in a command line: which of the files it runs agents changed, or will change before it, and
 * what the project's setup has made for it.
 */
export async function filesOfCommand(
  calls: CallContext,
  { name, command }: { readonly name: string; readonly command: string },
  changedBefore: ReadonlySet<VirtualPath>,
  signal: AbortSignal,
): Promise<Pick<ActionRequest, 'changedBefore' | 'scripts' | 'environment'>> {
  const { before } = await calls.openWorkspace(signal, { approved: false, written: [] })
  const changed = [...entriesWithin(before, rootPath)].flatMap(([path, { node }]) =>
    node && node.kind !== 'directory' ? [path] : [],
  )
  const scripts = changedScripts(command, new Set([...changed, ...changedBefore]))
  const environment = findToolFacts(name).opensView ? await calls.describeEnvironment() : null
  return {
    ...(environment !== null && { environment }),
    ...(changedBefore.size > 0 && { changedBefore: [...changedBefore].slice(0, mostFilesOnCard) }),
    ...(scripts.length > 0 && { scripts: scripts.slice(0, mostFilesOnCard) }),
  }
}
