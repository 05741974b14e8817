import type { BaseTree } from '#core/ports/base-tree.ts'
import type { Instructions } from '#core/prompts/appendices.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

const names = ['/AGENTS.md', '/CLAUDE.md'] as readonly string[] as readonly VirtualPath[]
const maxCharacters = 60_000

/** The project's own instructions. Only for a trusted folder. */
export async function readInstructions(base: BaseTree): Promise<readonly Instructions[]> {
  const found = await Promise.all(names.map(async (path) => ({ path, node: await base.stat(path) })))
  const files = found.filter(({ node }) => node?.kind === 'file').map(({ path }) => path)
  return Promise.all(
    files.map(async (path) => ({
      file: path,
      text: new TextDecoder().decode(await base.read(path)).slice(0, maxCharacters),
    })),
  )
}
