import { join } from 'node:path'
import { rootPath, type VirtualPath } from '../../src/shared/model/virtual-path.ts'
import { makeTree, temporaryFolder } from './support/folders.ts'
import { medianOf, summarise, timed } from './support/measure.ts'
import { openPeer } from './support/peer.ts'
import { connect } from './support/remote-client.ts'
import { type Row, report } from './support/report.ts'
import { memoryOf, serve } from './support/served.ts'

// Goal 14: a folder of 100,000 files, opened over the socket of a host in a process of its own.
const files = 100_000
const runs = 6

using folder = temporaryFolder()
const tree = join(folder.path, 'tree')
makeTree(tree, files, 60)

const opened: Opened[] = []
const walked: Walked[] = []
for (let count = 0; count <= runs; count += 1) {
  walked.push(await walk())
  opened.push(await open(join(folder.path, `data-${count}`)))
}
report('open', rowsOf(opened.slice(1), walked.slice(1)))

interface Opened {
  readonly usable: number
  readonly index: number
  readonly again: number
  readonly idleMb: number
  readonly peakMb: number
}
interface Walked {
  readonly ms: number
  readonly mb: number
}

async function open(dataFolder: string): Promise<Opened> {
  await using served = await serve(dataFolder, null)
  using client = await connect(served.url)
  let projectId = ''
  const usable = await timed(async () => {
    const project = await client.call.projects.open({ path: tree })
    projectId = project.id
    await client.call.files.list({ projectId: project.id, branchId: null, path: rootPath as VirtualPath })
  })
  const find = async () => {
    const found = await client.call.files.find({ projectId: projectId as never, branchId: null, query: 'module-99999' })
    if (found.length !== 1) throw new Error(`Found ${found.length} files instead of one`)
  }
  const [index, again] = [await timed(find), await timed(find)]
  const { nowMb, peakMb } = memoryOf(served.pid)
  return { usable, index, again, idleMb: nowMb, peakMb }
}

/** The median of three walks, after a first one that does not count. */
async function walk(): Promise<Walked> {
  using peer = openPeer('fdir')
  const answers = []
  for (let count = 0; count < 4; count += 1) answers.push(await peer.run({ folder: tree }))
  const odd = answers.find(({ result }) => result !== files)
  if (odd) throw new Error(`fdir found ${odd.result} files`)
  return { ms: medianOf(answers.slice(1).map(({ ms }) => ms)), mb: answers.at(-1)?.mb ?? Number.NaN }
}

function rowsOf(opens: readonly Opened[], walks: readonly Walked[]): readonly Row[] {
  const walkedMs = summarise(walks.map(({ ms }) => ms))
  const fdir = { name: 'fdir walk', sample: walkedMs }
  const memory = { name: 'fdir, its list alone', sample: summarise(walks.map(({ mb }) => mb)) }
  const indexGoal = { text: '≤ 2 × fdir', limit: 2 * walkedMs.median }
  const memoryGoal = { text: '≤ 150 MB', limit: 150 }
  return [
    {
      operation: 'usable: project opened, first folder listed',
      unit: 'ms',
      coppice: summarise(opens.map(({ usable }) => usable)),
      goal: { text: 'at once (≤ 100 ms)', limit: 100 },
    },
    {
      operation: 'index: first file found by name',
      unit: 'ms',
      coppice: summarise(opens.map(({ index }) => index)),
      peer: fdir,
      goal: indexGoal,
    },
    {
      operation: 'the same again',
      unit: 'ms',
      coppice: summarise(opens.map(({ again }) => again)),
      peer: fdir,
      goal: indexGoal,
    },
    {
      operation: 'memory of the host, most of all times',
      unit: 'MB',
      coppice: summarise(opens.map(({ peakMb }) => peakMb)),
      peer: memory,
      goal: memoryGoal,
    },
    {
      operation: 'memory of the host right afterwards',
      unit: 'MB',
      coppice: summarise(opens.map(({ idleMb }) => idleMb)),
      peer: memory,
      goal: memoryGoal,
    },
  ]
}
