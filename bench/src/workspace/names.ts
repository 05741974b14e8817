import { globTool } from '../../../src/main/core/tools/files/find-files.ts'
import { rootPath } from '../../../src/shared/model/virtual-path.ts'
import { sideBySide, timed } from '../support/measure.ts'
import { openPeer } from '../support/peer.ts'
import type { GeneratedProject } from '../support/project.ts'
import { type Row, shortCount, versus } from '../support/report.ts'
import { callTool, toolContext } from '../support/tool-call.ts'

const globs = ['**/*7.ts', 'area-3/**/module-*.ts']

/** Goal 4, names: glob compared with tinyglobby, and the list of all files compared with fdir. */
export async function nameRows({ workspace, tree: folder, files: count }: GeneratedProject): Promise<readonly Row[]> {
  using tinyglobby = openPeer('tinyglobby')
  using fdir = openPeer('fdir')
  const { files, signal } = toolContext(workspace)
  const rows: Row[] = []
  for (const pattern of globs) {
    const found = (await files.glob(pattern, rootPath, true, signal)).length
    const { coppice, peer } = await sideBySide(
      () => timed(() => callTool(workspace, globTool, { pattern })),
      async () => counted(await tinyglobby.run({ folder, pattern }), found),
    )
    const operation = `glob ${pattern}: ${shortCount(count)} files`
    rows.push({ operation, unit: 'ms', coppice, ...versus('tinyglobby', peer, 1.2) })
  }
  const { coppice, peer } = await sideBySide(
    () => timed(() => files.glob('**', rootPath, true, signal)),
    async () => counted(await fdir.run({ folder }), count),
  )
  rows.push({ operation: `list of all: ${shortCount(count)} files`, unit: 'ms', coppice, ...versus('fdir', peer) })
  return rows
}

function counted({ ms, result }: { readonly ms: number; readonly result: number }, wanted: number): number {
  if (result !== wanted) throw new Error(`The peer found ${result} files instead of ${wanted}`)
  return ms
}
