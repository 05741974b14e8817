import { join } from 'node:path'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { summarise } from '../support/measure.ts'
import { openPeer } from '../support/peer.ts'
import { textOf } from '../support/project-text.ts'
import { type Row, versus } from '../support/report.ts'
import { proseOf } from './prose.ts'
import { runSteps } from './scripted-thread.ts'

const messageBytes = 5 * 1024
const steps = isQuick ? 200 : 1_000
const peerSteps = isQuick ? 50 : 200
const files = 1_000
const fileBytes = 2_048

/** Goal 5: the size of the database on disk, as a multiple of the text that was said and written. */
export async function bytesRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const said = await runSteps(join(folder.path, 'said'), steps, saying, steps / 4)
  const written = await runSteps(join(folder.path, 'written'), files / 10, writing, files / 20)
  const wide = await runSteps(join(folder.path, 'wide'), (steps * 3) / 4, overManyFiles, steps / 4)
  const [first = 0, second = 0, third = 0, all = 0] = said.bytes
  const [, allWritten = 0] = written.bytes
  const [, before = 0, after = 0] = wide.bytes
  const perStep = (bytes: number, count: number) => summarise([bytes / count / 1024])
  return [
    {
      operation: `on disk: ${steps.toLocaleString('en')} steps with 5 KB messages, of what was said`,
      unit: '×',
      coppice: summarise([all / (steps * messageBytes)]),
      peer: { name: `LangGraph SqliteSaver, ${peerSteps} steps`, sample: await langGraphBytes(folder.path) },
      goal: { text: '≤ 1.15 ×', limit: 1.15 },
    },
    {
      operation: 'on disk: a step of the last quarter',
      unit: 'KB',
      coppice: perStep(all - third, steps / 4),
      ...versus('of the second quarter', perStep(second - first, steps / 4), 1.1),
    },
    {
      operation: 'on disk: a step over an overlay of 5,000 files',
      unit: 'KB',
      coppice: perStep(after - before, steps / 4),
      ...versus('over one of a single file', perStep(second - first, steps / 4), 1.1),
    },
    {
      operation: 'on disk: 1,000 files of 2 KB in 100 steps, of what was written',
      unit: '×',
      coppice: summarise([allWritten / (files * fileBytes)]),
      goal: { text: '≤ 1.5 ×', limit: 1.5 },
    },
  ]
}

/** The first step writes a file, because a tree without files has no hash to store with every checkpoint. */
function saying(step: number) {
  const call = step === 1 ? writingCall(0) : { name: 'read_todos', input: {} }
  return { text: proseOf(step, messageBytes), calls: [call] }
}

function writing(step: number) {
  return { text: 'Next.', calls: Array.from({ length: 10 }, (_, at) => writingCall(step * 10 + at)) }
}

/** The first third writes the files and the others only talk. The second third also begins the search index. */
function overManyFiles(step: number) {
  if (step > steps / 4) return saying(step)
  const each = Math.ceil(5_000 / (steps / 4))
  return { text: 'Next.', calls: Array.from({ length: each }, (_, at) => writingCall(step * each + at)) }
}

function writingCall(file: number) {
  return { name: 'write_file', input: { file_path: `/written/module-${file}.ts`, content: textOf(file, fileBytes) } }
}

async function langGraphBytes(folder: string) {
  using peer = openPeer('langgraph')
  const task = { file: join(folder, 'langgraph.db'), steps: peerSteps, text: proseOf(1, messageBytes) }
  const { result } = await peer.run(task)
  return summarise([result / (peerSteps * messageBytes)])
}
