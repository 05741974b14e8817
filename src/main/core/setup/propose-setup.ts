import type { SetupProposal } from '#shared/model/setup.ts'
import { nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { namesOf, openFolder } from './setup-folder.ts'
import { recipes } from './setup-recipes.ts'

/** Folders below the root that are looked at. */
const mostFolders = 60
/** Folders whose own folders hold the parts of a project. */
const containers = /^(packages|apps|services|libs|crates|modules)$/

/**
 * Finds the setups that the files of a project call for, the most sensible first: what the project says itself, then its
 * lockfiles from the root down. Nothing runs.
 */
export async function proposeSetups(base: BaseTree): Promise<readonly SetupProposal[]> {
  const found: SetupProposal[] = []
  for (const path of await foldersOf(base)) {
    const folder = await openFolder(base, path)
    for (const recipe of recipes) {
      const proposal = await recipe(folder)
      if (proposal !== undefined) found.push(inFolder(path, proposal))
    }
  }
  return unique(withHosts(found))
}

async function foldersOf(base: BaseTree): Promise<readonly VirtualPath[]> {
  const first = await namesOf(base, rootPath, 'directory')
  const second: VirtualPath[] = []
  for (const path of first.filter((one) => containers.test(nameOf(one))))
    second.push(...(await namesOf(base, path, 'directory')))
  return [rootPath, ...first, ...second].slice(0, mostFolders)
}

/** A recipe's names are those of its own folder; a setup's are from the root. */
function inFolder(path: VirtualPath, { command, inputs, hosts, source }: SetupProposal): SetupProposal {
  if (path === rootPath) return { command, inputs, hosts, source }
  const folder = path.slice(1)
  const start = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`
  return { command: `cd ${start} && ${command}`, inputs: inputs.map((one) => `${folder}/${one}`), hosts, source }
}

/** A script of the project itself needs the registries of what lies beside it. */
function withHosts(found: readonly SetupProposal[]): readonly SetupProposal[] {
  const all = [...new Set(found.flatMap(({ hosts }) => hosts))]
  const inputs = [...new Set(found.flatMap((one) => one.inputs))]
  return found.map((one) =>
    one.hosts.length > 0 ? one : { ...one, hosts: all, inputs: [...new Set([...one.inputs, ...inputs])] },
  )
}

function unique(found: readonly SetupProposal[]): readonly SetupProposal[] {
  return [...new Map(found.toReversed().map((one) => [one.command, one])).values()].toReversed()
}
