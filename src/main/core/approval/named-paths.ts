import type { JsonObject } from '#shared/base/json.ts'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'

const pathArguments = ['file_path', 'path', 'from', 'to', 'tasks_file']

/**
 * The files and folders a call names, in canonical form, and where each leads when its links are followed: however a path is
 * spelled, rules see what the tool will open.
 */
export async function reachedPaths(
  args: JsonObject,
  leadsTo: (path: VirtualPath) => Promise<VirtualPath>,
): Promise<readonly VirtualPath[]> {
  const named = namedPaths(args)
  return [...new Set([...named, ...(await Promise.all(named.map(leadsTo)))])]
}

/** The files and folders a call names, in canonical form. */
export function namedPaths(args: JsonObject): readonly VirtualPath[] {
  return pathArguments.flatMap((name) => {
    const given = args[name]
    const parsed = typeof given === 'string' ? parseVirtualPath(given) : undefined
    return parsed?.ok ? [parsed.value] : []
  })
}
