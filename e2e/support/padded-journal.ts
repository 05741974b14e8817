import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment, node, root } from './coppice.ts'

/** How many entries of other threads the journal of each test's project begins with. None by default. */
const everywhere = Number(process.env.COPPICE_E2E_PADDED ?? 0)

const made = new Map<number, string>()

/** Gives a project that is not known yet a journal that begins with entries of other threads. By default the environment says how many. */
export function padJournal(dataFolder: string, folder: string, padding = everywhere): void {
  if (padding === 0) return
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)
  const place = join(dataFolder, 'projects', id)
  if (existsSync(join(place, 'project.db'))) return
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const file = made.get(padding) ?? makePadded(padding)
  made.set(padding, file)
  copyFileSync(file, join(place, 'project.db'))
}

/** One database for all tests of a process. A program makes it, for the reason that `storeThreads` has. */
function makePadded(padding: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-e2e-padded-')), 'project.db')
  const program = join(root, 'e2e/support/make-padded.ts')
  execFileSync(node, [program, file, String(padding)], { cwd: root, env: environment({}) })
  return file
}
